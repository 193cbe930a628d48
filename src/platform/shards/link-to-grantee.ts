import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import type { WriteCondition } from '../db/database.ts'
import { partitionOf } from '../db/id.ts'
import { isKnown, lookAtKey } from '../db/idempotency.ts'
import type { IdempotencyKey } from '../db/idempotency-key.ts'
import { erasedUntil } from '../db/marks.ts'
import { shareHints } from '../db/schema.ts'
import type { Statement } from '../db/session.ts'
import { insert } from '../db/sql.ts'
import { isFresh, orFresher } from './check-hints.ts'
import { nearOrFar } from './near.ts'
import { SHARE_HINT_KEY } from './share-hints.ts'

/** A share that is about to be written. */
interface NewShare {
  grantee_id: string
  /** SQL: whether a row of `files` is the file, and may be shared. A refused share must not write into another user's home. */
  mayBeShared: SQL
  /** SQL: whether a row of `shares` is the share. */
  isSame: SQL
  key: IdempotencyKey | undefined
}

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
  write: (link: ShareLink) => Promise<Made | undefined>,
): Promise<Made | undefined> {
  const { grantee_id, isSame } = share
  return nearOrFar(ctx.db, ctx.databases.home(grantee_id), {
    near: (condition) =>
      write({
        // The same file may be somebody else's, who shares it with the same user: then no share of the caller's is there.
        hint: [hintOf(ctx, grantee_id, sql`FROM shares WHERE ${isSame} AND owner_id = ${ctx.user_id}`)],
        condition,
        erased_until: -1,
      }),
    far: async () => {
      const erased_until = await hintIfAccepted(ctx, share)
      return erased_until === undefined ? undefined : write({ hint: [], condition: {}, erased_until })
    },
  })
}

/**
 * Writes the hint in another database unless the share would be refused. Returns the time of the grantee's last erasure (Unix
 * seconds, -1: none); undefined when the share would be refused, or its key is known.
 *
 * The file is read by `write`, whose fence answers like that of the share while the owner's partition moves.
 */
async function hintIfAccepted(
  ctx: RequestContext,
  { grantee_id, mayBeShared, key }: NewShare,
): Promise<number | undefined> {
  const { db, databases, config, user_id } = ctx
  const home = databases.home(grantee_id)
  home.usePrimary()
  const [{ files, keys }, known] = await Promise.all([
    db.write({
      files: sql<{ id: string }>`SELECT id FROM files WHERE ${mayBeShared}`,
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
  if (hint && isFresh(hint.hinted_at, seconds(ctx))) return known.erased[0]?.until ?? -1
  const { erased } = await home.write({
    hint: hintOf(ctx, grantee_id),
    erased: sql<{ until: number }>`SELECT ${erasedUntil(grantee_id)} AS until`,
  })
  return erased[0]?.until ?? -1
}

/** The statement that writes the hint from the grantee to the caller's partition: for each row of `from`, or once. */
function hintOf(ctx: RequestContext, grantee_id: string, from?: SQL): SQL {
  const hint = {
    grantee_partition: partitionOf(grantee_id),
    grantee_id,
    partition: partitionOf(ctx.user_id),
    hinted_at: seconds(ctx),
    erased_until: erasedUntil(grantee_id),
  }
  return sql`${insert(shareHints, hint, from)} ${orFresher(...SHARE_HINT_KEY)}`
}
