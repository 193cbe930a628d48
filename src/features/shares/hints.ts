import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type RequestContext, seconds } from '../../platform/context.ts'
import type { WriteCondition } from '../../platform/db/database.ts'
import { partitionOf } from '../../platform/db/id.ts'
import { type IdempotencyKey, isKnown, probeKey } from '../../platform/db/idempotency.ts'
import { shareHints } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { insert, type Params, type Prepared, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { checkHints, type FoundLink, isFresh, orFresher } from '../../platform/shards/check-hints.ts'
import { nearOrFar } from '../../platform/shards/near.ts'
import { type PartitionState, stateColumns } from '../../platform/shards/partitions.ts'
import { isSame, mayBeShared, type NewShare, type ShareParams } from './conditions.ts'

/** The columns of the key of `share_hints`. */
const SHARE_HINT_KEY = ['grantee_partition', 'grantee_id', 'partition'] as const

/** The parts of the batch that writes the share. */
export interface ShareLink {
  /** The statements after the one that writes the share. */
  hint: Statement[]
  condition: WriteCondition
  /**
   * The time of the grantee's last erasure (Unix seconds) when the grantee's home is in another database; -1: the batch reads
   * it, or there was none.
   */
  erased_until: number
}

/**
 * Writes a share, and a hint in the grantee's home by which the grantee's list finds the share (docs/scaling.md). In one
 * database, share and hint are one batch. Otherwise the hint is written first, unless the share would be refused or the home
 * has a fresh hint. Returns the result of `write`; undefined when the share would be refused, or its key is known.
 *
 * @throws LIMIT_REACHED (idempotency_keys), UNAVAILABLE, and what `write` throws
 */
export function linkToGrantee<Made>(
  ctx: RequestContext,
  share: NewShare,
  key: IdempotencyKey | undefined,
  write: (link: ShareLink) => Promise<Made | undefined>,
): Promise<Made | undefined> {
  return nearOrFar(ctx.db, ctx.databases.home(share.grantee_id), {
    near: (condition) =>
      write({ hint: [hintBesideShare(withPartitions(ctx, share))], condition, erased_until: -1 }),
    far: async () => {
      const erased_until = await hintIfAccepted(ctx, share, key)
      return erased_until === undefined ? undefined : write({ hint: [], condition: {}, erased_until })
    },
  })
}

const acceptedFile = statement(
  (p: ShareParams) => sql<{ id: string }>`SELECT id FROM files WHERE ${mayBeShared(p)}`,
)
const knownHint = statement(
  (p: HintParams) => sql<{ hinted_at: number }>`SELECT hinted_at FROM share_hints
    WHERE grantee_partition = ${p.grantee_partition} AND grantee_id = ${p.grantee_id} AND partition = ${p.partition}`,
)
const erasureOf = statement(
  (p: Params<'grantee_id'>) => sql<{ until: number }>`SELECT ${erasedUntil(p.grantee_id)} AS until`,
)

/**
 * Writes the hint in another database unless the share would be refused. Returns the time of the grantee's last erasure (Unix
 * seconds, -1: none); undefined when the share would be refused, or its key is known.
 *
 * The file is read by `write`, whose fence answers like that of the share while the owner's partition moves.
 */
async function hintIfAccepted(
  ctx: RequestContext,
  share: NewShare,
  key: IdempotencyKey | undefined,
): Promise<number | undefined> {
  const { db, databases, config } = ctx
  const home = databases.home(share.grantee_id)
  home.usePrimary()
  const values = withPartitions(ctx, share)
  const [{ files, keys }, known] = await Promise.all([
    db.write({ files: acceptedFile(share), keys: probeKey(key, config.MAX_IDEMPOTENCY_KEYS) }),
    home.read({ hints: knownHint(values), erased: erasureOf(share) }),
  ])
  if (files.length === 0 || isKnown(keys)) return undefined
  const [hint] = known.hints
  if (hint && isFresh(hint.hinted_at, seconds(ctx))) return known.erased[0]?.until ?? -1
  const { erased } = await home.write({ hint: hintAlone(values), erased: erasureOf(share) })
  return erased[0]?.until ?? -1
}

/** The parameters of the hint from the grantee to the caller's partition. */
type HintParams = Params<'grantee_partition' | 'grantee_id' | 'partition' | 'now'>

function withPartitions({ user_id }: RequestContext, share: NewShare) {
  return { ...share, grantee_partition: partitionOf(share.grantee_id), partition: partitionOf(user_id) }
}

/** SQL: the INSERT of the hint: for each row of `from`, or once. */
function insertHint(p: HintParams, from?: SQL): SQL {
  const hint = {
    grantee_partition: p.grantee_partition,
    grantee_id: p.grantee_id,
    partition: p.partition,
    hinted_at: p.now,
    erased_until: erasedUntil(p.grantee_id),
  }
  return sql`${insert(shareHints, hint, from)} ${orFresher(...SHARE_HINT_KEY)}`
}

const hintAlone = statement((p: HintParams) => insertHint(p))
/**
 * The file may be another user's who shares it with the same grantee. Then the caller has no such share, and no hint is written.
 */
const hintBesideShare = statement((p: HintParams & Params<'file_id' | 'user_id'>) =>
  insertHint(p, sql`FROM shares WHERE ${isSame(p)} AND owner_id = ${p.user_id}`),
)

/** The most hints that one step checks, and the most shares of a grantee that it reads for a hint. */
const [MAX_HINTS, MAX_SHARES] = [200, 200]

/** The statement that reads, in a grantee's home, the hints to the shares with this user, and the states of their partitions. */
export function shareHintsOf(grantee_id: string): Prepared<PartitionState> {
  return hintsTo({ grantee_partition: partitionOf(grantee_id), grantee_id })
}

const hintsTo = statement(
  (p: Params<'grantee_partition' | 'grantee_id'>) =>
    sql<PartitionState>`SELECT partition, ${sql.raw(stateColumns('hint.partition'))} FROM share_hints AS hint
      WHERE hint.grantee_partition = ${p.grantee_partition} AND hint.grantee_id = ${p.grantee_id}`,
)

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
