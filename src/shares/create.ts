import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createIdempotently, dropExpiredKey, type IdempotencyKey, recordKey } from '../db/idempotency.ts'
import { createdAt, isNotErasedShare } from '../db/marks.ts'
import { ApiError, type Limit, limitReached } from '../errors.ts'
import type { FileRow } from '../files/record.ts'
import { isLive, isOwn, lifecycleOf } from '../files/tree/lifecycle.ts'
import { pathTo } from '../files/tree/walk.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { type ShareRow, shareColumns } from './record.ts'
import type { CreateShare } from './schema.ts'

/**
 * Shares a file with a user, who need not exist yet (specification §4.3). There is one share a file and grantee:
 * sharing again replaces permission and expiry, and keeps the id, so that revoking revokes.
 *
 * @throws SHARE_INVALID_GRANTEE, VALIDATION_FAILED (expires_at), FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY,
 * LIMIT_REACHED (shares, shares_with_grantee), IDEMPOTENCY_KEY_REUSED; SHARE_NOT_FOUND when what the same key made has gone since.
 */
export async function createShare(
  ctx: RequestContext,
  file_id: string,
  { grantee_id, permission, expires_at = null }: CreateShare,
  key?: IdempotencyKey,
): Promise<ShareRow> {
  const { db, config, user_id } = ctx
  const now = seconds(ctx)
  if (grantee_id === user_id) throw new ApiError('SHARE_INVALID_GRANTEE', { detail: 'It is yours already.' })
  const isPast = expires_at !== null && expires_at <= now
  const ofFile = sql`file_id = ${file_id} AND grantee_id = ${grantee_id}`
  const countBetween = sql`SELECT count(*) FROM (SELECT 1 FROM shares
    WHERE grantee_id = ${grantee_id} AND owner_id = ${user_id} AND expired = 0 LIMIT ${config.MAX_SHARES_PER_GRANTEE})`
  return createIdempotently(db, key, {
    create: async () => {
      const {
        created: [share],
      } = await db.batch({
        usage: ensureUsageRow(ctx),
        expired_key: dropExpiredKey(key),
        erased: sql`DELETE FROM shares WHERE ${ofFile} AND NOT ${isNotErasedShare}`,
        room: roomAmongExpired(file_id, user_id, config, now),
        created: sql<ShareRow>`INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
          SELECT ${newId(user_id)}, id, owner_id, ${grantee_id}, ${permission}, ${expires_at}, ${createdAt(now, grantee_id)} FROM files
          WHERE id = ${file_id} AND ${isLive(file_id, user_id)} AND processing_state = 'ready'
            AND ${isPast ? 0 : 1}
            AND (EXISTS (SELECT 1 FROM shares WHERE ${ofFile} AND expired = 0)
              OR (share_count - expired_share_count < ${config.MAX_SHARES_PER_FILE}
                AND (${countBetween}) < ${config.MAX_SHARES_PER_GRANTEE}))
          ON CONFLICT (file_id, grantee_id) DO UPDATE
          SET permission = excluded.permission, expires_at = excluded.expires_at, expired = 0
          RETURNING ${shareColumns}`,
        // The statement right before made it, or wrote nothing.
        key: recordKey(key, sql`SELECT id FROM shares WHERE ${ofFile} AND changes() > 0`),
      })
      return share
    },
    replay: async (made_id) => {
      const {
        shares: [share],
        path,
      } = await db.batch({
        shares: sql<ShareRow>`SELECT ${shareColumns} FROM shares WHERE id = ${made_id} AND ${isNotErasedShare}`,
        path: pathTo(file_id),
      })
      // What the key made is there also while its file is in the trash.
      if (!share || path[0]?.owner_id !== user_id || lifecycleOf(path) === 'gone')
        throw new ApiError('SHARE_NOT_FOUND')
      return share
    },
    explain: async () => {
      if (isPast) return pastExpiry(now)
      const {
        path,
        counts: [count],
      } = await db.batch({
        path: pathTo(file_id),
        counts: sql<{
          of_file: number
          with_grantee: number
        }>`SELECT share_count - expired_share_count AS of_file, (${countBetween}) AS with_grantee
          FROM files WHERE id = ${file_id}`,
      })
      const full =
        count && count.of_file >= config.MAX_SHARES_PER_FILE
          ? 'shares'
          : count && count.with_grantee >= config.MAX_SHARES_PER_GRANTEE
            ? 'shares_with_grantee'
            : undefined
      return sharingRefusal(path, user_id, full)
    },
  })
}

/** As many expired shares as a file keeps at most, however soon the next ones expire. */
const MOST_EXPIRED = 500

/**
 * When a file of the user's has as many shares as it may, flags those that have expired since the job last did, which is
 * as many at most; and removes those that have been expired for the longest, beyond MOST_EXPIRED.
 */
function roomAmongExpired(
  file_id: string,
  user_id: string,
  { MAX_SHARES_PER_FILE }: RequestContext['config'],
  now: number,
): SQL[] {
  const own = sql`FROM files WHERE id = ${file_id} AND owner_id = ${user_id}`
  return [
    sql`UPDATE shares SET expired = 1 WHERE file_id = ${file_id} AND expired = 0 AND expires_at <= ${now}
      AND EXISTS (SELECT 1 ${own} AND share_count - expired_share_count >= ${MAX_SHARES_PER_FILE})`,
    sql`DELETE FROM shares WHERE id IN (
        SELECT id FROM shares WHERE file_id = ${file_id} AND expired = 1 ORDER BY expires_at
        LIMIT coalesce((SELECT max(0, expired_share_count - ${MOST_EXPIRED}) ${own}), 0)
      )`,
  ]
}

function pastExpiry(now: number): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: 'expires_at must be in the future.',
    errors: [{ in: 'body', path: '/expires_at', message: `It is ${now} now.` }],
  })
}

/** Why an item may not be shared by this user; undefined when it may. */
function sharingRefusal(path: FileRow[], user_id: string, full: Limit | undefined): ApiError | undefined {
  const [item] = path
  if (!item || !isOwn(path, user_id)) return new ApiError('FILE_NOT_FOUND')
  if (item.asset_type === 'folder')
    return new ApiError('FILE_IS_FOLDER', { detail: 'Share the files in it, or make it public.' })
  if (item.processing_state !== 'ready')
    return new ApiError('FILE_NOT_READY', { detail: 'Complete its upload first.' })
  return full && limitReached(full)
}
