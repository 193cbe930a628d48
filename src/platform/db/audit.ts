import { type SQL, sql } from 'drizzle-orm'
import { HOUR } from '../lib/units.ts'
import { earliestId } from './id.ts'
import { audit } from './schema.ts'
import type { Session } from './session.ts'
import { insert, type Params, statement } from './sql.ts'

/** An entry of the audit: who did what to whom under a scope (docs/helping-players.md#what-was-done). */
export type AuditEntry = typeof audit.$inferSelect

type EntryParams = Params<keyof AuditEntry>

/**
 * A second write of an entry adds what is known by then. It changes nothing that the erasure of a user has put into the row in between.
 */
const write = statement((p: EntryParams) => {
  const { id, at, actor, scope, action, user_id, resource, reason, request_id, status } = p
  const row = { id, at, actor, scope, action, user_id, resource, reason, request_id, status }
  return sql`${insert(audit, row)} ON CONFLICT (id)
    DO UPDATE SET status = excluded.status, user_id = coalesce(user_id, excluded.user_id),
      resource = iif(user_id IS NULL, coalesce(resource, excluded.resource), resource)`
})

/** Writes an entry, before the act without its status, and once more with it. `first` is the first database. @throws UNAVAILABLE */
export async function writeEntry(first: Session, entry: AuditEntry): Promise<void> {
  await first.send([write({ ...entry })])
}

/** The scope of the entries of reading on behalf of a player, which `players:write` includes. */
const READING = 'players:read'

type ReadingParams = Params<Exclude<keyof AuditEntry, 'scope'> | 'since'>

/** An entry of the hour, unless there is one: a single statement, so that two readers at the same time make one. */
const note = statement((p: ReadingParams) => {
  const { id, at, actor, action, user_id, resource, reason, request_id, status } = p
  const row = { id, at, actor, scope: sql`${READING}`, action, user_id, resource, reason, request_id, status }
  return insert(
    audit,
    row,
    sql`WHERE NOT EXISTS (SELECT 1 FROM audit INDEXED BY audit_about_user
      WHERE user_id = ${p.user_id} AND id >= ${p.since} AND actor = ${p.actor} AND scope = ${READING})`,
  )
})

/**
 * Whom an isolate has noted as a reader of whom, by the hour, with the time until which it relies on that. Then an erasure may have put
 * another id into the entry. Above MAX_NOTED it forgets the oldest.
 */
const noted = new Map<string, number>()
const MAX_NOTED = 2_000
const RELIED_ON_SECONDS = 60

/**
 * Notes that somebody has read on behalf of a player: one entry an actor, player and hour. An isolate asks for it once a minute.
 *
 * @throws UNAVAILABLE
 */
export async function noteReading(first: Session, entry: Omit<AuditEntry, 'scope'>): Promise<void> {
  const hour = entry.at - (entry.at % HOUR)
  const key = JSON.stringify([entry.actor, entry.user_id, hour])
  if (entry.at < (noted.get(key) ?? 0)) return
  await first.send([note({ ...entry, since: earliestId(hour) })])
  noted.delete(key)
  const [oldest] = noted.keys()
  if (noted.size >= MAX_NOTED && oldest !== undefined) noted.delete(oldest)
  noted.set(key, entry.at + RELIED_ON_SECONDS)
}

/** SQL: the ids of the entries until a time (Unix seconds) of what a user did, and of what was done to a user. */
export function entriesBy(user_id: string | SQL, until: number | SQL): SQL {
  return sql`SELECT id FROM audit INDEXED BY audit_by_actor WHERE actor = ${user_id} AND at <= ${until}`
}
export function entriesAbout(user_id: string | SQL, until: number | SQL): SQL {
  return sql`SELECT id FROM audit INDEXED BY audit_about_user WHERE user_id = ${user_id} AND at <= ${until}`
}
