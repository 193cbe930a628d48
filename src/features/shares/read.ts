import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import {
  byId,
  isText,
  type Page,
  type PageRequest,
  positionAt,
  positionedPage,
} from '../../platform/db/keyset.ts'
import { type Params, perShape, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { pageOverHints } from '../../platform/shards/pages.ts'
import { mergedPage } from '../../platform/shards/windows.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { SignedUrl } from '../../platform/storage/presign.ts'
import { isAnyBlocked, isOwn, isTrashedForGrantee, lifecycleOf, pathFrom, pathTo } from '../files/path.ts'
import type { FileRow } from '../files/row.ts'
import { hasMuted, mutedBy } from '../mutes/list.ts'
import { shareHintsOf } from './hints.ts'
import {
  hasExpired,
  isNotErasedShare,
  isUnexpired,
  type SharedWithMeRow,
  type ShareRow,
  shareAndFileColumns,
  shareColumns,
} from './row.ts'

const sharesOfFile = statement(
  (p: Params<'file_id'>) =>
    sql<ShareRow>`SELECT ${shareColumns} FROM shares WHERE file_id = ${p.file_id} AND ${isNotErasedShare}`,
)

/** Lists all shares of a file of the caller's, oldest first, with the expired ones. @throws FILE_NOT_FOUND */
export async function listSharesOf({ db, user_id }: RequestContext, file_id: string): Promise<ShareRow[]> {
  db.usePrimary()
  const { path, shares } = await db.read({
    path: pathTo({ id: file_id }),
    shares: sharesOfFile({ file_id }),
  })
  if (!isOwn(path, user_id)) throw new ApiError('FILE_NOT_FOUND')
  return shares.sort((a, b) => (a.id < b.id ? -1 : 1))
}

const LIST = ['shares']

const pageOfShares = perShape((isFirst: boolean) =>
  statement(
    (p: Params<'user_id' | 'now' | 'id' | 'limit'>) =>
      sql<SharedWithMeRow>`SELECT ${shareAndFileColumns}, iif(${isNotErasedShare} AND NOT ${hasMuted(p.user_id, sql`shares.owner_id`)}, ${isTrashedForGrantee}, NULL) AS in_trash
    FROM shares JOIN files AS item ON item.id = shares.file_id
    WHERE grantee_id = ${p.user_id} AND expired = 0 AND ${isUnexpired(p.now)}
      ${isFirst ? sql.empty() : sql`AND shares.id < ${p.id}`}
    ORDER BY shares.id DESC LIMIT ${p.limit}`,
  ),
)

/**
 * Lists the shares that the caller has been given and that have not expired, newest first (docs/conformance.md#shares). A
 * share whose file is blocked or gone, or whose owner the caller has muted, is left out of its page, which is then shorter than
 * `limit`. The mutes are in the caller's home alone, so rows of other databases are compared with them here.
 *
 * @throws INVALID_CURSOR
 */
export async function listSharedWith(
  ctx: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<Page<SharedWithMeRow>> {
  const { db, databases, user_id } = ctx
  const after = positionAt(cursor, LIST, isText)
  const values = { user_id, now: seconds(ctx), id: after?.id ?? null, limit: limit + 1 }
  let muted = new Set<string>()
  const windows = await pageOverHints<SharedWithMeRow, { muted_id: string }>(databases, {
    at: db,
    hints: () => shareHintsOf(user_id),
    page: pageOfShares(after === undefined)(values),
    hasMore: (rows) => rows.length > limit,
    ...(!databases.isSingle && {
      along: mutedBy({ user_id }),
      accept: (mutes) => (muted = new Set(mutes.map(({ muted_id }) => muted_id))),
    }),
  })
  const { rows, last } = mergedPage(windows, limit)
  const present = rows.filter(({ in_trash, owner_id }) => in_trash !== null && !muted.has(owner_id))
  return positionedPage(LIST, present, last && { key: byId(), id: last.id })
}

/** The statement that reads a share. The caller decides who may read it. */
export const shareById = statement(
  (p: Params<'id'>) =>
    sql<ShareRow>`SELECT ${shareColumns} FROM shares WHERE id = ${p.id} AND ${isNotErasedShare}`,
)
const pathToShared = statement((p: Params<'id'>) =>
  pathFrom(sql`(SELECT file_id FROM shares WHERE id = ${p.id})`),
)

/**
 * Signs a URL to download a shared file, for its grantee. The URL is valid for DOWNLOAD_URL_TTL, and not longer than the
 * share (docs/conformance.md#shares).
 *
 * @throws SHARE_NOT_FOUND, SHARE_ACCESS_DENIED (expired, or requested by the owner), FILE_NOT_FOUND (in the trash, or
 * blocked)
 */
export async function sharedUrl(ctx: RequestContext, id: string): Promise<SignedUrl> {
  const { config, sign, user_id } = ctx
  const db = ctx.databases.of(id)
  db.usePrimary()
  const {
    shares: [share],
    path,
  } = await db.read({
    shares: shareById({ id }),
    path: pathToShared({ id }),
  })
  const now = seconds(ctx)
  const error = accessError(share, path, user_id, now)
  const [file] = path
  if (error || !share || !file?.object_key || !file.mime_type) throw error ?? new ApiError('FILE_NOT_FOUND')
  const ttl = Math.min(config.DOWNLOAD_URL_TTL, (share.expires_at ?? Number.POSITIVE_INFINITY) - now)
  return sign.download(file.object_key, contentDisposition(file.name, file.mime_type), now, ttl)
}

/** Why a share gives the user no access to the file at the start of `path`; undefined when it does. */
function accessError(
  share: ShareRow | undefined,
  path: FileRow[],
  user_id: string,
  now: number,
): ApiError | undefined {
  const isOwner = path[0]?.owner_id === user_id
  if (!share || lifecycleOf(path) === 'gone' || (!isOwner && share.grantee_id !== user_id))
    return new ApiError('SHARE_NOT_FOUND')
  if (isOwner)
    return new ApiError('SHARE_ACCESS_DENIED', {
      detail: 'Only the grantee can use a share. The file is yours: get its own URL.',
    })
  if (hasExpired(share, now)) return new ApiError('SHARE_ACCESS_DENIED', { detail: 'The share has expired.' })
  const canRead = lifecycleOf(path) === 'live' && !isAnyBlocked(path)
  return canRead ? undefined : new ApiError('FILE_NOT_FOUND')
}
