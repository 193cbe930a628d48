import { type SQL, sql } from 'drizzle-orm'
import type { JobContext } from '../context.ts'
import { partitionOf } from '../db/id.ts'
import { shareHints } from '../db/schema.ts'
import { keptStatements, type Rendered } from '../db/sql.ts'
import { checkHints, type Found } from './check-hints.ts'
import type { PartitionState } from './partitions.ts'

/** The columns of the key of `share_hints`. */
export const SHARE_HINT_KEY = ['grantee_partition', 'grantee_id', 'partition'] as const

/** How many hints a step looks at, and how many shares of a grantee behind a hint. */
const [HINTS, SHARES] = [200, 200]

/** The statement that reads the hints to what is shared with a user, in the user's home, and what that knows of the partitions. */
export function shareHintsOf(user_id: string): Rendered<PartitionState> {
  return keptHints('hints', () => hintsStatement, { grantee_partition: partitionOf(user_id), user_id })
}

const keptHints = keptStatements<PartitionState>()

const hintsStatement = sql<PartitionState>`SELECT partition,
    (SELECT state FROM partitions AS place WHERE place.partition = hint.partition) AS state,
    (SELECT moved_to FROM partitions AS place WHERE place.partition = hint.partition) AS moved_to
  FROM share_hints AS hint WHERE hint.grantee_partition = ${sql.placeholder('grantee_partition')} AND hint.grantee_id = ${sql.placeholder('user_id')}`

/** SQL: whether a row of `share_hints` leads to a partition where something that was shared with the user may be left. */
export function isUnerasedHint(user_id: string, until: number): SQL {
  return sql`grantee_partition = ${partitionOf(user_id)} AND grantee_id = ${user_id} AND erased_until < ${until}`
}

type Hint = Pick<typeof shareHints.$inferSelect, (typeof SHARE_HINT_KEY)[number]>

/** Looks for the shares behind the oldest hints of grantees (`checkHints`). Returns how many it looked at. */
export function checkShareHints(ctx: JobContext): Promise<number> {
  return checkHints<Hint>(ctx, { table: shareHints, key: SHARE_HINT_KEY, limit: HINTS, needed: withShares })
}

/**
 * The statement that answers which of those hints a share stands behind, an expired one too, and since when. Of a grantee
 * with many shares, the first ones decide that there may be others: since ever.
 */
function withShares(hints: string): SQL<Found> {
  const first = (expired: SQL) =>
    sql`(SELECT id FROM shares WHERE grantee_id = hint.value ->> 1 AND expired = ${expired} LIMIT ${SHARES + 1})`
  const among = (expired: SQL) => sql`coalesce(
    (SELECT created_at FROM shares WHERE id =
      (SELECT id FROM ${first(expired)} WHERE substr(id, 21, 3) = hint.value ->> 2 LIMIT 1)),
    (SELECT iif(count(*) > ${SHARES}, 0, NULL) FROM ${first(expired)}))`
  return sql`SELECT place, since FROM (
      SELECT hint.key AS place, coalesce(${among(sql`0`)}, ${among(sql`1`)}) AS since FROM json_each(${hints}) AS hint
    ) WHERE since IS NOT NULL`
}
