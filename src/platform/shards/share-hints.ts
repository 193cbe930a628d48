import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type RequestContext, seconds } from '../context.ts'
import { partitionOf } from '../db/id.ts'
import { isKnown, lookAtKey } from '../db/idempotency.ts'
import type { IdempotencyKey } from '../db/idempotency-key.ts'
import { erasedUntil } from '../db/marks.ts'
import { shareHints } from '../db/schema.ts'
import { insert, keptStatements, type Rendered } from '../db/sql.ts'
import { checkHints, type Found, isFresh, orFresher } from './check-hints.ts'
import type { Databases } from './databases.ts'
import { FIRST } from './map.ts'
import { type PartitionState, whereItIs } from './partitions.ts'

const KEY = ['grantee_partition', 'grantee_id', 'partition'] as const

/** How many hints a step looks at. */
const HINTS = 200

/**
 * Hints, in the grantee's home, that the caller may share something with the grantee, if the share will be accepted: a
 * refused one must not write into another user's home. `couldShare` is the condition on a row of `files`. A hint that is
 * fresh is left as it is. Returns until when everything of the grantee's has been erased, in Unix seconds; -1: never.
 * Undefined when the share would be refused, or its key is known.
 *
 * The look at the file goes through the fence of writes: while the owner's partition is moved, it is answered like the share.
 *
 * @throws LIMIT_REACHED (idempotency_keys), UNAVAILABLE
 */
export async function hintIfAccepted(
  ctx: RequestContext,
  grantee_id: string,
  couldShare: SQL,
  key: IdempotencyKey | undefined,
): Promise<number | undefined> {
  const { db, databases, config, user_id } = ctx
  const home = databases.home(grantee_id)
  home.usePrimary()
  const [{ files, keys }, known] = await Promise.all([
    db.write({
      files: sql<{ id: string }>`SELECT id FROM files WHERE ${couldShare}`,
      keys: lookAtKey(key, config.MAX_IDEMPOTENCY_KEYS),
    }),
    home.read({
      hints: sql<{
        hinted_at: number
      }>`SELECT hinted_at FROM share_hints WHERE grantee_partition = ${partitionOf(grantee_id)}
        AND grantee_id = ${grantee_id} AND partition = ${partitionOf(user_id)}`,
      erased: sql<{ until: number }>`SELECT ${erasedUntil(grantee_id)} AS until`,
    }),
  ])
  if (files.length === 0 || isKnown(keys)) return undefined
  const [hint] = known.hints
  if (!hint || !isFresh(hint.hinted_at, seconds(ctx))) return hintAtShare(ctx, grantee_id)
  return known.erased[0]?.until ?? -1
}

/**
 * Hints, in the grantee's home, that the caller may share something with the grantee. Returns until when everything of
 * the grantee's has been erased, in Unix seconds; -1: never.
 */
export async function hintAtShare(ctx: RequestContext, grantee_id: string): Promise<number> {
  const hint = {
    grantee_partition: partitionOf(grantee_id),
    grantee_id,
    partition: partitionOf(ctx.user_id),
    hinted_at: seconds(ctx),
    erased_until: erasedUntil(grantee_id),
  }
  const { erased } = await ctx.databases.home(grantee_id).write({
    hint: sql`${insert(shareHints, hint)} ${orFresher(...KEY)}`,
    erased: sql<{ until: number }>`SELECT ${erasedUntil(grantee_id)} AS until`,
  })
  return erased[0]?.until ?? -1
}

/** The statement that reads the hints to what is shared with a user, in the user's home, and what that knows of the partitions. */
export function hintsOf(user_id: string): Rendered<PartitionState> {
  return keptHints('hints', () => hintsStatement, { grantee_partition: partitionOf(user_id), user_id })
}

const keptHints = keptStatements<PartitionState>()

const hintsStatement = sql<PartitionState>`SELECT partition,
    (SELECT state FROM partitions AS place WHERE place.partition = hint.partition) AS state,
    (SELECT moved_to FROM partitions AS place WHERE place.partition = hint.partition) AS moved_to
  FROM share_hints AS hint WHERE hint.grantee_partition = ${sql.placeholder('grantee_partition')} AND hint.grantee_id = ${sql.placeholder('user_id')}`

/** The name of the database that a hinted partition is in, as far as the user's home knows or else this isolate. */
export function placeOfHint(databases: Databases, hint: PartitionState, home: string): string {
  if (hint.state !== null) return whereItIs([hint], home)
  if (home === FIRST) return home
  const name = databases.nameFor(hint.partition)
  return name === home ? FIRST : name
}

type Hint = Pick<typeof shareHints.$inferSelect, (typeof KEY)[number]>

/** Looks for the shares behind the oldest hints of grantees (`checkHints`). Returns how many it looked at. */
export function checkShareHints(ctx: JobContext): Promise<number> {
  return checkHints<Hint>(ctx, { table: shareHints, key: KEY, limit: HINTS, needed: withShares })
}

/** The statement that answers which of those hints a share stands behind, an expired one too, and since when. */
function withShares(hints: string): SQL<Found> {
  const ofFlag = (expired: SQL) =>
    sql`(SELECT created_at FROM shares WHERE grantee_id = hint.value ->> 1 AND expired = ${expired}
      AND substr(id, 21, 3) = hint.value ->> 2 LIMIT 1)`
  return sql`SELECT place, since FROM (
      SELECT hint.key AS place, coalesce(${ofFlag(sql`0`)}, ${ofFlag(sql`1`)}) AS since FROM json_each(${hints}) AS hint
    ) WHERE since IS NOT NULL`
}
