import { type SQL, sql } from 'drizzle-orm'
import { type outbox, progress } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { HOUR, MINUTE } from '../../platform/lib/time-units.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { isOpenHere } from '../../platform/shards/partitions.ts'

/*
 * The statements of the delivery. They are sent to a whole database without its fence: each of them takes only rows whose
 * partition is open there. So the events of a partition that moves wait, and all others go on.
 */

/** An event that a delivery has claimed. */
export type Claimed = Pick<
  typeof outbox.$inferSelect,
  'id' | 'type' | 'resource_id' | 'data' | 'created_at' | 'attempts'
>

/** What became of an event that was claimed: delivered, or `failed`. */
export interface Failed {
  id: string
  error: string
  /** When the next attempt may begin; null: there is none, the event is parked. */
  next_at: number | null
}

/** How long an event that waits for an earlier one of its thing is left alone. The end of the earlier one wakes it. */
const BEHIND = 6 * HOUR

/** The task in `progress` under which a database keeps until when nothing is sent, and how often all has failed. */
const PAUSE = 'event_pause'

/** The first pause after all of a round has failed, and the longest, in seconds. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = MINUTE

/** Ends the pause. */
export const endPause = sql`DELETE FROM progress WHERE task = ${PAUSE}`

/** SQL: whether all of a round has failed, and nothing was delivered since. */
export const isPaused = sql`EXISTS (SELECT 1 FROM progress WHERE task = ${PAUSE})`

/** SQL: whether the partition of an event is open in this database. */
export function isOpen(name: string, id: SQL): SQL {
  return isOpenHere(sql`substr(${id}, 21, 3)`, name)
}

/** From here on, `next_at` is a time. Below, it is a turn (migrations/0002_triggers.sql). */
const FIRST_TIME = 1_000_000_000

/** SQL: the turn that an event of this owner gets now, behind those of the owner that wait. */
function turnOf(owner: SQL): SQL {
  return sql`min(${FIRST_TIME - 1}, coalesce((SELECT min(first.next_at) FROM outbox AS first INDEXED BY outbox_by_turn
      WHERE first.parked_at IS NULL AND first.next_at < ${FIRST_TIME}), 0)
    + coalesce((SELECT events FROM outbox_counts AS own WHERE own.owner_id = ${owner} AND own.owner_id <> ''), 0))`
}

/**
 * Claims events that are due, until the time `until`: no other delivery takes them before. Only the first of each thing is
 * claimed, and answered; the ones behind it are put off. At most `most` rows are claimed, `probe` while everything fails, and
 * none during the pause. Half of them are new ones, in the order of their turns, and half come again, unless there are fewer.
 */
export function claim(
  _databases: Databases,
  name: string,
  { now, until, most, probe }: { now: number; until: number; most: number; probe: number },
): SQL<Claimed & { is_claimed: 0 | 1 }> {
  const limit = sql`coalesce((SELECT iif(CAST(position ->> 'until' AS INTEGER) > ${now}, 0, ${probe})
    FROM progress WHERE task = ${PAUSE}), ${most})`
  const first = (
    isDue: SQL,
  ) => sql`SELECT id, owner_id, resource_id, seq, row_number() OVER () AS place FROM (
      SELECT id, owner_id, resource_id, seq FROM outbox INDEXED BY outbox_by_turn
      WHERE parked_at IS NULL AND ${isDue} AND ${isOpen(name, sql`outbox.id`)}
      ORDER BY next_at LIMIT ${limit})`
  const candidates = sql`${first(sql`next_at < ${FIRST_TIME}`)}
    UNION ALL ${first(sql`next_at BETWEEN ${FIRST_TIME} AND ${now}`)} ORDER BY place LIMIT ${limit}`
  return sql`UPDATE outbox SET attempts = attempts + 1 - due.is_behind, next_at = iif(due.is_behind, ${now + BEHIND}, ${until})
    FROM (SELECT candidate.id, EXISTS (SELECT 1 FROM outbox AS earlier INDEXED BY outbox_by_resource
          WHERE earlier.owner_id = candidate.owner_id AND earlier.resource_id = candidate.resource_id AND earlier.parked_at IS NULL
            AND (earlier.seq, earlier.id) < (candidate.seq, candidate.id)) AS is_behind
        FROM (${candidates}) AS candidate) AS due
    WHERE outbox.id = due.id
    RETURNING outbox.id, type, resource_id, data, created_at, attempts, next_at = ${until} AS is_claimed`
}

/**
 * Records what became of the events that were claimed until `until`: removes what was delivered, puts off or parks what
 * failed, and gives a turn to the event that follows each one that has ended. An event that another delivery has claimed since then
 * is left to that one.
 */
export function settle(
  _databases: Databases,
  name: string,
  { now, until, delivered, failed }: { now: number; until: number; delivered: string[]; failed: Failed[] },
): SQL[] {
  const isOurs = (table: string) =>
    sql`${sql.raw(table)}.next_at = ${until} AND ${sql.raw(table)}.parked_at IS NULL
      AND ${isOpen(name, sql.raw(`${table}.id`))}`
  const ended = [...delivered, ...failed.filter(({ next_at }) => next_at === null).map(({ id }) => id)]
  const wakeNext = sql`UPDATE outbox SET next_at = ${turnOf(sql`outbox.owner_id`)}
    WHERE parked_at IS NULL AND next_at > ${now} AND id IN (
    SELECT (SELECT next.id FROM outbox AS next INDEXED BY outbox_by_resource
      WHERE next.owner_id = ended.owner_id AND next.resource_id = ended.resource_id AND next.parked_at IS NULL AND (next.seq, next.id) > (ended.seq, ended.id)
      ORDER BY next.seq, next.id LIMIT 1)
    FROM json_each(${JSON.stringify(ended)}) AS listed CROSS JOIN outbox AS ended ON ended.id = listed.value
    WHERE ${isOurs('ended')})`
  const remove = sql`DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(${JSON.stringify(delivered)}))
    AND ${isOurs('outbox')}`
  const putOff = sql`UPDATE outbox SET last_error = outcome.value ->> 'error',
      next_at = coalesce(outcome.value ->> 'next_at', ${now}),
      parked_at = iif(outcome.value ->> 'next_at' IS NULL, ${now}, NULL)
    FROM json_each(${JSON.stringify(failed)}) AS outcome
    WHERE outbox.id = outcome.value ->> 'id' AND ${isOurs('outbox')}`
  return [
    ...(ended.length > 0 ? [wakeNext] : []),
    ...(delivered.length > 0 ? [remove, endPause] : []),
    ...(failed.length > 0 ? [putOff] : []),
  ]
}

/**
 * Has nothing sent for a while, after all of a round has failed: 5 s, then twice as long each time, up to a minute. `isFew`:
 * only if there is a pause already, because a few events may fail for their own sake.
 */
export function pause(now: number, { isFew }: { isFew: boolean }): SQL<{ until: number }> {
  const first = JSON.stringify({ until: now + FIRST_PAUSE, failures: 1 })
  const longer = sql`json_object('until', ${now} + min(${FIRST_PAUSE} << (position ->> 'failures'), ${LONGEST_PAUSE}),
    'failures', min((position ->> 'failures') + 1, 10))`
  const isOver = sql`CAST(position ->> 'until' AS INTEGER) <= ${now}`
  const returning = sql`RETURNING CAST(position ->> 'until' AS INTEGER) AS until`
  return isFew
    ? sql`UPDATE progress SET position = ${longer} WHERE task = ${PAUSE} AND ${isOver} ${returning}`
    : sql`${insert(progress, { task: PAUSE, position: first })}
        ON CONFLICT (task) DO UPDATE SET position = ${longer} WHERE ${isOver} ${returning}`
}
