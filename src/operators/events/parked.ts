import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../platform/db/session.ts'
import type { EventContext } from '../../platform/events/record.ts'

/*
 * Parked events contain user ids, so they are removed after 30 days (tasks.ts), and with an erased user (docs/events.md).
 * Without WEBHOOK_URL no event is written, and the outbox is not read.
 */

/** The statements that remove up to `limit` parked events with a user's id that happened by `until` (Unix seconds). */
export function removeParked(ctx: EventContext, user_id: string, until: number, limit: number): Statement[] {
  return parkedOf(ctx, user_id, until).map(
    (ids) => sql`DELETE FROM outbox WHERE id IN (${ids} LIMIT ${limit}) RETURNING id`,
  )
}

/**
 * SQL: the ids of the parked events with a user's id that happened by `until`. `user.erased` is excluded, because the studio
 * has yet to receive it.
 */
export function parkedOf({ config }: EventContext, user_id: string, until: number): SQL[] {
  if (config.WEBHOOK_URL === undefined) return []
  const isErased = sql`created_at <= ${until} AND type <> 'user.erased'`
  const doneBy = sql`coalesce(data ->> 'blocked_by', data ->> 'actor')`
  return [
    sql`SELECT id FROM outbox INDEXED BY outbox_parked_about
      WHERE parked_at IS NOT NULL AND coalesce(data ->> 'owner_id', data ->> 'user_id') = ${user_id} AND ${isErased}
    UNION ALL SELECT id FROM outbox INDEXED BY outbox_parked_for
      WHERE parked_at IS NOT NULL AND data ->> 'grantee_id' IS NOT NULL AND data ->> 'grantee_id' = ${user_id} AND ${isErased}
    UNION ALL SELECT id FROM outbox INDEXED BY outbox_parked_by
      WHERE parked_at IS NOT NULL AND ${doneBy} IS NOT NULL AND ${doneBy} = ${user_id} AND ${isErased}`,
  ]
}
