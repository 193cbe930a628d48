import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import {
  createIdempotently,
  dropExpiredKey,
  type IdempotencyKey,
  keyRecorder,
} from '../../platform/db/idempotency.ts'
import { shares } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'
import { isOwn, lifecycleOf, pathTo } from '../files/path.ts'
import type { FileRow } from '../files/row.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import {
  countWithGrantee,
  isAllowed,
  isErased,
  isFull,
  isHidden,
  isSame,
  type NewShare,
  type ShareParams,
} from './conditions.ts'
import { shareCreated, shareRevoked } from './events.ts'
import { linkToGrantee, type ShareLink } from './hints.ts'
import { dueNotification, notifyGrantee, recordDue } from './notify.ts'
import { shareById } from './read.ts'
import { hasExpired, type ShareRow, shareColumns } from './row.ts'
import type { CreateShare } from './schema.ts'

/**
 * Shares a file with a user, who need not exist yet (docs/conformance.md#shares). A file has one share for each grantee:
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
  const { db, user_id, config } = ctx
  if (grantee_id === user_id)
    throw new ApiError('SHARE_INVALID_GRANTEE', { detail: 'The file is yours already.' })
  const wanted = {
    file_id,
    grantee_id,
    user_id,
    permission,
    expires_at,
    now: seconds(ctx),
    erased_until: -1,
    max_of_file: config.MAX_SHARES_PER_FILE,
    max_with_grantee: config.MAX_SHARES_PER_GRANTEE,
  }
  return createIdempotently(db, key, {
    create: () => {
      const share = { ...wanted, id: newId(user_id) }
      return linkToGrantee(ctx, share, key, (link) => writeShare(ctx, share, link, key))
    },
    replay: (made_id) => readCreated(ctx, made_id, file_id),
    explain: () => whyNotCreated(ctx, wanted),
  })
}

/** The largest number of expired shares that a file keeps. */
const MAX_EXPIRED = 500

/** SQL: the rest of a SELECT of the file, if it is the caller's. */
const ownFile = (p: ShareParams) => sql`FROM files WHERE id = ${p.file_id} AND owner_id = ${p.user_id}`

const revokedErased = shareRevoked(isErased, 'user_erased')
const removeErased = statement((p: ShareParams) => sql`DELETE FROM shares WHERE ${isErased(p)}`)
const revokedHidden = shareRevoked(isHidden, 'user_erased')
const removeHidden = statement((p: ShareParams) => sql`DELETE FROM shares WHERE ${isHidden(p)}`)
/** Flags the expired shares of a full file that the job has not flagged yet. */
const flagExpired = statement(
  (p: ShareParams) => sql`UPDATE shares SET expired = 1 WHERE file_id = ${p.file_id} AND expired = 0
      AND expires_at <= ${p.now} AND EXISTS (SELECT 1 ${ownFile(p)} AND ${isFull(p)})`,
)
/** Deletes the oldest expired shares beyond MAX_EXPIRED. */
const trimExpired = statement(
  (p: ShareParams) => sql`DELETE FROM shares WHERE id IN (
        SELECT id FROM shares WHERE file_id = ${p.file_id} AND expired = 1 ORDER BY expires_at
        LIMIT coalesce((SELECT max(0, expired_share_count - ${MAX_EXPIRED}) ${ownFile(p)}), 0)
      )`,
)
const insertShare = statement((p: ShareParams) => {
  const share = {
    id: p.id,
    file_id: sql`id`,
    owner_id: sql`owner_id`,
    grantee_id: p.grantee_id,
    permission: p.permission,
    expires_at: p.expires_at,
    created_at: createdAt(sql`max(${p.now}, ${p.erased_until} + 1)`, p.grantee_id),
  }
  return sql<ShareRow>`${insert(shares, share, sql`FROM files WHERE ${isAllowed(p, sql`NOT ${isFull(p)}`)}`)}
      ON CONFLICT (file_id, grantee_id) DO UPDATE
      SET permission = excluded.permission, expires_at = excluded.expires_at, expired = 0
      RETURNING ${shareColumns}`
})
/** changes() counts the rows of the INSERT right before. */
const recordShare = keyRecorder(
  (p: Params<'file_id' | 'grantee_id'>) => sql`SELECT id FROM shares WHERE ${isSame(p)} AND changes() > 0`,
)

/** Writes a share in one batch, after the shares that must not count. Undefined when the file may not be shared. */
async function writeShare(
  ctx: RequestContext,
  share: NewShare,
  { hint, condition, erased_until }: ShareLink,
  key: IdempotencyKey | undefined,
): Promise<ShareRow | undefined> {
  const { id } = share
  const values = { ...share, erased_until }
  const due = ctx.config.NOTIFY_SHARES === 'on' ? dueNotification(ctx, id) : undefined
  const statements = {
    usage: ensureUsageRow(ctx),
    expired_key: dropExpiredKey(key),
    revoked: revokedErased(ctx, values),
    erased: removeErased(values),
    revoked_others: revokedHidden(ctx, values),
    hidden: removeHidden(values),
    expired: [flagExpired(values), trimExpired(values)],
    created: insertShare(values),
    key: recordShare(key, values),
    hint,
    // Sharing again writes no row with this id, and so no event.
    events: shareCreated(ctx, values),
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
    shares: shareById({ id }),
    path: pathTo({ id: file_id }),
  })
  if (!share || path[0]?.owner_id !== user_id || lifecycleOf(path) === 'gone')
    throw new ApiError('SHARE_NOT_FOUND')
  return share
}

const countShares = statement(
  (p: Params<'file_id' | 'grantee_id' | 'user_id' | 'max_with_grantee'>) => sql<{
    of_file: number
    with_grantee: number
  }>`
      SELECT share_count - expired_share_count AS of_file, (${countWithGrantee(p)}) AS with_grantee
      FROM files WHERE id = ${p.file_id}`,
)

/** Why no share was written, after nothing was; undefined when the reason is gone. */
async function whyNotCreated(
  { db, config, user_id }: RequestContext,
  wanted: Omit<NewShare, 'id'> & Pick<ShareRow, 'file_id' | 'expires_at'> & { now: number },
): Promise<ApiError | undefined> {
  if (hasExpired(wanted, wanted.now)) return pastExpiryError(wanted.now)
  const {
    path,
    counts: [count],
  } = await db.read({ path: pathTo({ id: wanted.file_id }), counts: countShares(wanted) })
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
