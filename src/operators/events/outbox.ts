import { type SQL, sql } from 'drizzle-orm'
import { type outbox, progress } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { HOUR, MINUTE } from '../../platform/lib/units.ts'
import { isAtHome } from '../../platform/shards/homes.ts'

/*
 * The statements of the delivery. They are sent to a whole database without its fence, and each selects only rows whose
 * partition is open there. During a move, only the events of the moving partitions wait.
 */

/** An event that a delivery has claimed. */
export type Claimed = Pick<
  typeof outbox.$inferSelect,
  'id' | 'type' | 'resource_id' | 'data' | 'created_at' | 'attempts'
>

/** A failed attempt to deliver a claimed event. */
export interface Failed {
  id: string
  error: string
  /** The earliest time of the next attempt, in Unix seconds; null parks the event. */
  next_at: number | null
}

/** How long an event behind an earlier one of the same resource is deferred. The end of the earlier one wakes it sooner. */
const BEHIND_SECONDS = 6 * HOUR

/** The task in `progress` that has the end of the delivery's pause, and how many rounds in a row have failed. */
const PAUSE = 'event_pause'

/** The first pause after a round in which every attempt failed, and the longest pause. */
const FIRST_PAUSE_SECONDS = 5
const MAX_PAUSE_SECONDS = MINUTE

/** The statement that ends the pause. */
export const endPause = sql`DELETE FROM progress WHERE task = ${PAUSE}`

/** SQL: whether the last whole round failed, and no event was delivered since. */
export const isPaused = sql`EXISTS (SELECT 1 FROM progress WHERE task = ${PAUSE})`

/** A `next_at` from here on is a time in Unix seconds. A smaller one is a turn (migrations/0011_events.sql). */
const FIRST_TIME = 1_000_000_000

/** SQL: the next turn for an event of this owner, after the owner's waiting events. */
function turnOf(owner: SQL): SQL {
  return sql`min(${FIRST_TIME - 1}, coalesce((SELECT min(first.next_at) FROM outbox AS first INDEXED BY outbox_by_turn
      WHERE first.parked_at IS NULL AND first.next_at < ${FIRST_TIME}), 0)
    + coalesce((SELECT events FROM outbox_counts AS own WHERE own.owner_id = ${owner} AND own.owner_id <> ''), 0))`
}

/**
 * The statement that claims due events of the database `name` until the time `until`: no other delivery claims them before.
 * It claims the first event of each resource and defers the events behind it; it returns both. It considers at most `most`
 * rows, `probe` rows after a failed round, and none during the pause. New events, in the order of their turns, and repeated
 * ones get half of the rows each, unless there are fewer. Times are Unix seconds.
 */
export function claim(
  name: string,
  { now, until, most, probe }: { now: number; until: number; most: number; probe: number },
): SQL<Claimed & { is_claimed: 0 | 1 }> {
  const limit = sql`coalesce((SELECT iif(CAST(position ->> 'until' AS INTEGER) > ${now}, 0, ${probe})
    FROM progress WHERE task = ${PAUSE}), ${most})`
  const first = (
    isDue: SQL,
  ) => sql`SELECT id, owner_id, resource_id, seq, row_number() OVER () AS place FROM (
      SELECT id, owner_id, resource_id, seq FROM outbox INDEXED BY outbox_by_turn
      WHERE parked_at IS NULL AND ${isDue} AND ${isAtHome(sql`outbox.id`, name)}
      ORDER BY next_at LIMIT ${limit})`
  const candidates = sql`${first(sql`next_at < ${FIRST_TIME}`)}
    UNION ALL ${first(sql`next_at BETWEEN ${FIRST_TIME} AND ${now}`)} ORDER BY place LIMIT ${limit}`
  return sql`UPDATE outbox SET attempts = attempts + 1 - due.is_behind, next_at = iif(due.is_behind, ${now + BEHIND_SECONDS}, ${until})
    FROM (SELECT candidate.id, EXISTS (SELECT 1 FROM outbox AS earlier INDEXED BY outbox_by_resource
          WHERE earlier.owner_id = candidate.owner_id AND earlier.resource_id = candidate.resource_id AND earlier.parked_at IS NULL
            AND (earlier.seq, earlier.id) < (candidate.seq, candidate.id)) AS is_behind
        FROM (${candidates}) AS candidate) AS due
    WHERE outbox.id = due.id
    RETURNING outbox.id, type, resource_id, data, created_at, attempts, next_at = ${until} AS is_claimed`
}

/**
 * The statements that record the outcome for events claimed until `until`: they remove delivered events, defer or park failed
 * ones, and give a turn to the event behind each removed or parked one. They leave events that another delivery has claimed
 * since. `delivered` has ids; times are Unix seconds.
 */
export function settle(
  name: string,
  { now, until, delivered, failed }: { now: number; until: number; delivered: string[]; failed: Failed[] },
): SQL[] {
  const isOurs = (table: string) =>
    sql`${sql.raw(table)}.next_at = ${until} AND ${sql.raw(table)}.parked_at IS NULL
      AND ${isAtHome(sql.raw(`${table}.id`), name)}`
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
  const putOff = sql`UPDATE outbox SET last_error = outcome.value ->> 'error', last_failed_at = ${now},
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
 * The statement that pauses the delivery after a failed round: for FIRST_PAUSE_SECONDS, doubled by each further failure, up
 * to MAX_PAUSE_SECONDS. With `isFew`, it only extends a pause, because a few failures may be due to the events themselves.
 */
export function pause(now: number, { isFew }: { isFew: boolean }): SQL<{ until: number }> {
  const first = JSON.stringify({ until: now + FIRST_PAUSE_SECONDS, failures: 1 })
  const longer = sql`json_object('until', ${now} + min(${FIRST_PAUSE_SECONDS} << (position ->> 'failures'), ${MAX_PAUSE_SECONDS}),
    'failures', min((position ->> 'failures') + 1, 10))`
  const isOver = sql`CAST(position ->> 'until' AS INTEGER) <= ${now}`
  const returning = sql`RETURNING CAST(position ->> 'until' AS INTEGER) AS until`
  return isFew
    ? sql`UPDATE progress SET position = ${longer} WHERE task = ${PAUSE} AND ${isOver} ${returning}`
    : sql`${insert(progress, { task: PAUSE, position: first })}
        ON CONFLICT (task) DO UPDATE SET position = ${longer} WHERE ${isOver} ${returning}`
}
