import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently, dropExpiredKey, recordKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { createdAt } from '../../platform/db/marks.ts'
import { shares } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'
import type { FileRow } from '../files/row.ts'
import { isOwn, lifecycleOf } from '../files/tree/lifecycle.ts'
import { pathTo } from '../files/tree/walk.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { type ShareConditions, shareConditions } from './conditions.ts'
import { shareCreated, sharesRevoked } from './events.ts'
import { linkToGrantee, type ShareLink } from './hints.ts'
import { dueNotification, notifyGrantee, recordDue } from './notify.ts'
import { isNotErasedShare, type ShareRow, shareColumns } from './row.ts'
import type { CreateShare } from './schema.ts'

/**
 * Shares a file with a user, who need not exist yet (docs/conformance.md#43-shares). A file has one share for each grantee:
 * sharing again replaces permission and expiry and keeps the id, so revoking the id always ends the access.
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
  const { db, user_id } = ctx
  if (grantee_id === user_id)
    throw new ApiError('SHARE_INVALID_GRANTEE', { detail: 'The file is yours already.' })
  const conditions = shareConditions(ctx, { file_id, grantee_id, expires_at })
  const { isSame, mayBeShared } = conditions
  return createIdempotently(db, key, {
    create: () =>
      linkToGrantee(ctx, { grantee_id, mayBeShared, isSame, key }, (link) =>
        insertShare(ctx, { grantee_id, permission, expires_at }, { conditions, link, key }),
      ),
    replay: (made_id) => readCreated(ctx, made_id, file_id),
    explain: () => whyNotCreated(ctx, file_id, conditions),
  })
}

interface Insertion {
  conditions: ShareConditions
  link: ShareLink
  key: IdempotencyKey | undefined
}

/** Writes a share in one batch, after the shares that must not count. Undefined when the file may not be shared. */
async function insertShare(
  ctx: RequestContext,
  { grantee_id, permission, expires_at }: Pick<ShareRow, 'grantee_id' | 'permission' | 'expires_at'>,
  { conditions, link, key }: Insertion,
): Promise<ShareRow | undefined> {
  const { isSame, canShare, hidden, releaseExpired } = conditions
  const { hint, condition, erased_until } = link
  const id = newId(ctx.user_id)
  const due = ctx.config.NOTIFY_SHARES === 'on' ? dueNotification(ctx, id) : undefined
  const share = {
    id,
    file_id: sql`id`,
    owner_id: sql`owner_id`,
    grantee_id,
    permission,
    expires_at,
    created_at: createdAt(Math.max(seconds(ctx), erased_until + 1), grantee_id),
  }
  const isErased = sql`${isSame} AND (created_at <= ${erased_until} OR NOT ${isNotErasedShare})`
  const statements = {
    usage: ensureUsageRow(ctx),
    expired_key: dropExpiredKey(key),
    revoked: sharesRevoked(ctx, isErased, 'user_erased'),
    erased: sql`DELETE FROM shares WHERE ${isErased}`,
    revoked_others: sharesRevoked(ctx, hidden, 'user_erased'),
    hidden: sql`DELETE FROM shares WHERE ${hidden}`,
    expired: releaseExpired,
    created: sql<ShareRow>`${insert(shares, share, sql`FROM files WHERE ${canShare}`)}
      ON CONFLICT (file_id, grantee_id) DO UPDATE
      SET permission = excluded.permission, expires_at = excluded.expires_at, expired = 0
      RETURNING ${shareColumns}`,
    // changes() counts the rows of the INSERT right before.
    key: recordKey(key, sql`SELECT id FROM shares WHERE ${isSame} AND changes() > 0`),
    hint,
    // Sharing again writes no row with this id, and so no event.
    events: shareCreated(ctx, sql`id = ${id}`),
    due: due ? [recordDue(due)] : [],
  }
  const {
    created: [made],
  } = await ctx.db.write(statements, condition)
  if (due && made?.id === id) ctx.afterwards((later) => notifyGrantee(later, due))
  return made
}

/** Reads a share that the caller has created, also while its file is in the trash. @throws SHARE_NOT_FOUND */
async function readCreated({ db, user_id }: RequestContext, id: string, file_id: string): Promise<ShareRow> {
  const {
    shares: [share],
    path,
  } = await db.read({
    shares: sql<ShareRow>`SELECT ${shareColumns} FROM shares WHERE id = ${id} AND ${isNotErasedShare}`,
    path: pathTo({ id: file_id }),
  })
  if (!share || path[0]?.owner_id !== user_id || lifecycleOf(path) === 'gone')
    throw new ApiError('SHARE_NOT_FOUND')
  return share
}

/** Why no share was written, after nothing was; undefined when the reason is gone. */
async function whyNotCreated(
  ctx: RequestContext,
  file_id: string,
  { isPast, countWithGrantee }: ShareConditions,
): Promise<ApiError | undefined> {
  const { db, config, user_id } = ctx
  if (isPast) return pastExpiryError(seconds(ctx))
  const {
    path,
    counts: [count],
  } = await db.read({
    path: pathTo({ id: file_id }),
    counts: sql<{ of_file: number; with_grantee: number }>`
      SELECT share_count - expired_share_count AS of_file, (${countWithGrantee}) AS with_grantee
      FROM files WHERE id = ${file_id}`,
  })
  return fileError(path, user_id) ?? limitError(count, config)
}

function pastExpiryError(now: number): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: 'expires_at must be in the future.',
    errors: [{ in: 'body', path: '/expires_at', message: `The time is ${now} now.` }],
  })
}

/** Why the user may not share the item at the start of `path`; undefined when the user may, within the limits. */
function fileError(path: FileRow[], user_id: string): ApiError | undefined {
  const [item] = path
  if (!item || !isOwn(path, user_id)) return new ApiError('FILE_NOT_FOUND')
  if (item.asset_type === 'folder')
    return new ApiError('FILE_IS_FOLDER', {
      detail: 'Share the files in the folder, or make the folder public.',
    })
  if (item.processing_state !== 'ready')
    return new ApiError('FILE_NOT_READY', { detail: 'Complete the upload of the file first.' })
  return undefined
}

/** Why the limits allow no further share; undefined when they do. */
function limitError(
  count: { of_file: number; with_grantee: number } | undefined,
  { MAX_SHARES_PER_FILE, MAX_SHARES_PER_GRANTEE }: RequestContext['config'],
): ApiError | undefined {
  if (count && count.of_file >= MAX_SHARES_PER_FILE) return limitReached('shares')
  if (count && count.with_grantee >= MAX_SHARES_PER_GRANTEE) return limitReached('shares_with_grantee')
  return undefined
}
