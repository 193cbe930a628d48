import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently, dropExpiredKey, recordKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { createdAt, isNotErasedShare } from '../../platform/db/marks.ts'
import { shares } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'
import { linkToGrantee } from '../../platform/shards/link-to-grantee.ts'
import type { FileRow } from '../files/row.ts'
import { isOwn, lifecycleOf } from '../files/tree/lifecycle.ts'
import { pathTo } from '../files/tree/walk.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { shareConditions } from './conditions.ts'
import { shareCreated, sharesRevoked } from './events.ts'
import { type ShareRow, shareColumns } from './row.ts'
import type { CreateShare } from './schema.ts'

/**
 * Shares a file with a user, who need not exist yet (docs/conformance.md#43-shares). A file has one share a grantee: sharing again
 * replaces permission and expiry and keeps the id, so that revoking the id ends the access.
 *
 * @throws SHARE_INVALID_GRANTEE, VALIDATION_FAILED (expires_at), FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY,
 * LIMIT_REACHED (shares, shares_with_grantee), IDEMPOTENCY_KEY_REUSED; SHARE_NOT_FOUND when the share that an earlier
 * request with the key made is gone.
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
  const conditions = shareConditions(ctx, { file_id, grantee_id, expires_at })
  const { isPast, isSame, countWithGrantee, canShare, mayBeShared, hidden, releaseExpired } = conditions
  const isErased = (erased_until: number) =>
    sql`${isSame} AND (created_at <= ${erased_until} OR NOT ${isNotErasedShare})`
  const share = (id: string, erased_until: number) => ({
    id,
    file_id: sql`id`,
    owner_id: sql`owner_id`,
    grantee_id,
    permission,
    expires_at,
    created_at: createdAt(Math.max(now, erased_until + 1), grantee_id),
  })
  return createIdempotently(db, key, {
    create: () =>
      linkToGrantee(
        ctx,
        { grantee_id, mayBeShared, isSame, key },
        async ({ hint, condition, erased_until }) => {
          const id = newId(user_id)
          const statements = {
            usage: ensureUsageRow(ctx),
            expired_key: dropExpiredKey(key),
            revoked: sharesRevoked(ctx, isErased(erased_until), 'user_erased'),
            erased: sql`DELETE FROM shares WHERE ${isErased(erased_until)}`,
            revoked_others: sharesRevoked(ctx, hidden, 'user_erased'),
            hidden: sql`DELETE FROM shares WHERE ${hidden}`,
            expired: releaseExpired,
            created: sql<ShareRow>`${insert(shares, share(id, erased_until), sql`FROM files WHERE ${canShare}`)}
            ON CONFLICT (file_id, grantee_id) DO UPDATE
            SET permission = excluded.permission, expires_at = excluded.expires_at, expired = 0
            RETURNING ${shareColumns}`,
            // changes() counts the rows of the INSERT right before.
            key: recordKey(key, sql`SELECT id FROM shares WHERE ${isSame} AND changes() > 0`),
            hint,
            // Sharing again keeps the id of the share that is there.
            events: shareCreated(ctx, sql`id = ${id}`),
          }
          const { created } = await db.write(statements, condition)
          return created[0]
        },
      ),
    replay: async (made_id) => {
      const {
        shares: [found],
        path,
      } = await db.read({
        shares: sql<ShareRow>`SELECT ${shareColumns} FROM shares WHERE id = ${made_id} AND ${isNotErasedShare}`,
        path: pathTo(file_id),
      })
      // The share also exists while its file is in the trash.
      if (!found || path[0]?.owner_id !== user_id || lifecycleOf(path) === 'gone')
        throw new ApiError('SHARE_NOT_FOUND')
      return found
    },
    explain: async () => {
      if (isPast) return pastExpiryError(now)
      const {
        path,
        counts: [count],
      } = await db.read({
        path: pathTo(file_id),
        counts: sql<{ of_file: number; with_grantee: number }>`
          SELECT share_count - expired_share_count AS of_file, (${countWithGrantee}) AS with_grantee
          FROM files WHERE id = ${file_id}`,
      })
      return whyNotShared(path, user_id) ?? limitError(count, config)
    },
  })
}

function pastExpiryError(now: number): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: 'expires_at must be in the future.',
    errors: [{ in: 'body', path: '/expires_at', message: `It is ${now} now.` }],
  })
}

/** Why the user may not share the item at the start of `path`, limits aside; undefined when they may. */
function whyNotShared(path: FileRow[], user_id: string): ApiError | undefined {
  const [item] = path
  if (!item || !isOwn(path, user_id)) return new ApiError('FILE_NOT_FOUND')
  if (item.asset_type === 'folder')
    return new ApiError('FILE_IS_FOLDER', { detail: 'Share the files in it, or make it public.' })
  if (item.processing_state !== 'ready')
    return new ApiError('FILE_NOT_READY', { detail: 'Complete its upload first.' })
  return undefined
}

function limitError(
  count: { of_file: number; with_grantee: number } | undefined,
  { MAX_SHARES_PER_FILE, MAX_SHARES_PER_GRANTEE }: RequestContext['config'],
): ApiError | undefined {
  if (count && count.of_file >= MAX_SHARES_PER_FILE) return limitReached('shares')
  if (count && count.with_grantee >= MAX_SHARES_PER_GRANTEE) return limitReached('shares_with_grantee')
  return undefined
}
