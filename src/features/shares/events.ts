import { type SQL, sql } from 'drizzle-orm'
import type { Params } from '../../platform/db/sql.ts'
import { type EventWriter, eventWriter } from '../../platform/events/record.ts'
import type { EventData } from '../../platform/events/types.ts'
import { isUnexpired } from './row.ts'

/* The statements that write the events of shares: an event for each row of `shares` that `which` selects. */

const share = {
  share_id: sql`id`,
  file_id: sql`file_id`,
  owner_id: sql`owner_id`,
  grantee_id: sql`grantee_id`,
}

/** The event of a new share. It follows the statement that creates the share, in its batch. */
export const shareCreated = eventWriter('share.created', (p: Params<'id'>) => ({
  resource_id: sql`id`,
  data: { ...share, permission: sql`permission`, expires_at: sql`expires_at` },
  from: sql`FROM shares WHERE id = ${p.id}`,
}))

/**
 * The maker of the events of revoked shares. They precede the statement that deletes the shares, in its batch. A share that has
 * expired gets no event, because it gave no access any more.
 */
export function shareRevoked<Name extends string>(
  which: (p: Params<Name>) => SQL,
  reason: EventData<'share.revoked'>['reason'] | ((p: Params<Name>) => SQL),
): EventWriter<Name | 'now'> {
  return eventWriter('share.revoked', (p: Params<Name | 'now'>) => ({
    resource_id: sql`id`,
    data: { ...share, reason: typeof reason === 'string' ? reason : reason(p) },
    from: sql`FROM shares WHERE ${which(p)} AND ${isUnexpired(p.now)}`,
  }))
}
