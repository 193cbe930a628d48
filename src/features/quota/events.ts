import { type SQL, sql } from 'drizzle-orm'
import { quotaThresholds } from '../../platform/config/event-names.ts'
import type { Params } from '../../platform/db/sql.ts'
import { type EventWriter, eventWriter } from '../../platform/events/record.ts'

/** SQL: a user's used bytes and limit, in bytes. */
interface Level {
  used: SQL
  limit: SQL
}

const USED = sql`used_bytes`
const LIMIT = sql`coalesce(limit_bytes, default_limit_bytes)`

/**
 * The maker of the statement that writes the events of a charge. The statement follows the charging one in its batch. `added` is
 * a SELECT of the charged bytes, and of no row when nothing was charged.
 */
export function thresholdByCharge<Name extends string>(added: (p: Params<Name>) => SQL) {
  return quotaThreshold((p: Params<Name>) => ({
    before: { used: sql`${USED} - (${added(p)})`, limit: LIMIT },
    after: { used: USED, limit: LIMIT },
  }))
}

/**
 * The maker of the statement that writes the events of content that replaces other content. The statement precedes the charging
 * one in its batch. `added` is a SELECT of the difference in bytes, and of no row when nothing is replaced.
 */
export function thresholdByReplacement<Name extends string>(added: (p: Params<Name>) => SQL) {
  return quotaThreshold((p: Params<Name>) => ({
    before: { used: USED, limit: LIMIT },
    after: { used: sql`${USED} + (${added(p)})`, limit: LIMIT },
  }))
}

/**
 * The statement that writes the events of a new limit (null: the default). It precedes the statement that sets the limit, in its
 * batch.
 */
export const thresholdByLimit = quotaThreshold((p: Params<'limit_bytes'>) => ({
  before: { used: USED, limit: LIMIT },
  after: { used: USED, limit: sql`coalesce(CAST(${p.limit_bytes} AS INTEGER), default_limit_bytes)` },
}))

/** The maker of the statement that writes an event for each threshold that is reached at `after` and was not at `before`. */
function quotaThreshold<Name extends string>(
  levels: (p: Params<Name>) => { before: Level; after: Level },
): EventWriter<Name | 'user_id'> {
  const isReached = ({ used, limit }: Level) => sql`(${used}) * 100 >= threshold.value * ${limit}`
  return eventWriter('quota.threshold', (p: Params<Name | 'user_id'>) => {
    const { before, after } = levels(p)
    return {
      resource_id: p.user_id,
      partition: sql`usage.partition`,
      data: {
        user_id: p.user_id,
        threshold_percent: sql`threshold.value`,
        used_bytes: after.used,
        limit_bytes: after.limit,
      },
      from: sql`FROM usage CROSS JOIN json_each(${JSON.stringify(quotaThresholds)}) AS threshold
        WHERE user_id = ${p.user_id} AND NOT (${isReached(before)}) AND ${isReached(after)}`,
    }
  })
}
