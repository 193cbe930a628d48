import { type SQL, sql } from 'drizzle-orm'
import type { JobContext } from '../context.ts'
import { partitionOf } from '../db/id.ts'
import { shareHints } from '../db/schema.ts'
import { keptStatements, type Prepared } from '../db/sql.ts'
import { checkHints, type FoundLink } from './check-hints.ts'
import { type PartitionState, stateColumns } from './partitions.ts'

/** The columns of the key of `share_hints`. */
export const SHARE_HINT_KEY = ['grantee_partition', 'grantee_id', 'partition'] as const

/** The most hints that one step checks, and the most shares of a grantee that it reads for a hint. */
const [MAX_HINTS, MAX_SHARES] = [200, 200]

/** The statement that reads, in a grantee's home, the hints to the shares with this user, and the states of their partitions. */
export function shareHintsOf(grantee_id: string): Prepared<PartitionState> {
  return keptHints('hints', () => hintsStatement, { grantee_partition: partitionOf(grantee_id), grantee_id })
}

const keptHints = keptStatements<PartitionState>()

const hintsStatement = sql<PartitionState>`SELECT partition, ${sql.raw(stateColumns('hint.partition'))}
  FROM share_hints AS hint WHERE hint.grantee_partition = ${sql.placeholder('grantee_partition')}
    AND hint.grantee_id = ${sql.placeholder('grantee_id')}`

/**
 * SQL: whether a row of `share_hints` leads to a partition where shares with an erased user may be left. `until` is the time
 * of the erasure, in Unix seconds.
 */
export function isUnerasedHint(grantee_id: string, until: number): SQL {
  return sql`grantee_partition = ${partitionOf(grantee_id)} AND grantee_id = ${grantee_id} AND erased_until < ${until}`
}

type Hint = Pick<typeof shareHints.$inferSelect, (typeof SHARE_HINT_KEY)[number]>

/** Looks for the shares of the oldest hints at grantees (`checkHints`). Returns how many hints it checked. */
export function checkShareHints(ctx: JobContext): Promise<number> {
  return checkHints<Hint>(ctx, {
    table: shareHints,
    key: SHARE_HINT_KEY,
    limit: MAX_HINTS,
    linksOf: sharesOfHints,
  })
}

/**
 * The statement that finds one share for each of these hints, an expired one too. Of a grantee with more than MAX_SHARES
 * shares, the first ones are read, and the hint counts as needed.
 */
function sharesOfHints(hints: string): SQL<FoundLink> {
  const first = (expired: SQL) =>
    sql`(SELECT id FROM shares WHERE grantee_id = hint.value ->> 1 AND expired = ${expired} LIMIT ${MAX_SHARES + 1})`
  const createdAt = (expired: SQL) => sql`coalesce(
    (SELECT created_at FROM shares WHERE id =
      (SELECT id FROM ${first(expired)} WHERE substr(id, 21, 3) = hint.value ->> 2 LIMIT 1)),
    (SELECT iif(count(*) > ${MAX_SHARES}, 0, NULL) FROM ${first(expired)}))`
  return sql`SELECT hint_index, since FROM (
      SELECT hint.key AS hint_index, coalesce(${createdAt(sql`0`)}, ${createdAt(sql`1`)}) AS since
      FROM json_each(${hints}) AS hint
    ) WHERE since IS NOT NULL`
}
