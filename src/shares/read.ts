import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { byId, isText, type PageRequest, pageOf, positionAt } from '../db/keyset.ts'
import { emptiedAt, erasedUntil, isNotErasedShare } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import type { FileRow } from '../files/record.ts'
import { isOwn, lifecycleOf } from '../files/tree/lifecycle.ts'
import { pathTo } from '../files/tree/walk.ts'
import { contentDisposition } from '../storage/content-disposition.ts'
import type { SignedUrl } from '../storage/presign.ts'
import { hasExpired, type ShareRow, shareColumns } from './record.ts'
import type { SharedWithMe } from './schema.ts'

/** All shares of one's own file, oldest first; those that have expired, too. @throws FILE_NOT_FOUND */
export async function listSharesOf({ db, user_id }: RequestContext, file_id: string): Promise<ShareRow[]> {
  db.usePrimary()
  const { path, shares } = await db.batch({
    path: pathTo(file_id),
    shares: sql<ShareRow>`SELECT ${shareColumns} FROM shares WHERE file_id = ${file_id} AND ${isNotErasedShare}`,
  })
  if (!isOwn(path, user_id)) throw new ApiError('FILE_NOT_FOUND')
  return shares.sort((one, other) => (one.id < other.id ? -1 : 1))
}

/**
 * A URL to the shared file, for the grantee, that does not outlive the share (specification §4.3).
 *
 * @throws SHARE_NOT_FOUND, SHARE_ACCESS_DENIED (expired, or asked for by the owner), FILE_NOT_FOUND (in the trash)
 */
export async function sharedUrl(ctx: RequestContext, id: string): Promise<SignedUrl> {
  const { db, config, sign, user_id } = ctx
  db.usePrimary()
  const {
    shares: [share],
    path,
  } = await db.batch({
    shares: sql<ShareRow>`SELECT ${shareColumns} FROM shares WHERE id = ${id} AND ${isNotErasedShare}`,
    path: pathTo(sql`(SELECT file_id FROM shares WHERE id = ${id})`),
  })
  const now = seconds(ctx)
  const refusal = accessRefusal(share, path, user_id, now)
  const [file] = path
  if (refusal || !share || !file?.object_key || !file.mime_type)
    throw refusal ?? new ApiError('FILE_NOT_FOUND')
  const ttl = Math.min(config.DOWNLOAD_URL_TTL, (share.expires_at ?? Number.POSITIVE_INFINITY) - now)
  return sign.download(file.object_key, contentDisposition(file.name, file.mime_type), now, ttl)
}

/** Why a share gives this user no access to the file at the foot of `path`; undefined when it does. */
function accessRefusal(
  share: ShareRow | undefined,
  path: FileRow[],
  user_id: string,
  now: number,
): ApiError | undefined {
  const isOwner = path[0]?.owner_id === user_id
  if (!share || lifecycleOf(path) === 'gone' || (!isOwner && share.grantee_id !== user_id))
    return new ApiError('SHARE_NOT_FOUND')
  if (isOwner)
    return new ApiError('SHARE_ACCESS_DENIED', { detail: 'It is for the grantee; the file is yours anyway.' })
  if (hasExpired(share, now)) return new ApiError('SHARE_ACCESS_DENIED', { detail: 'It has expired.' })
  const isServed = lifecycleOf(path) === 'live' && path.every((row) => row.blocked === 0)
  return isServed ? undefined : new ApiError('FILE_NOT_FOUND')
}

const LIST = ['shares']

interface SharedRow
  extends ShareRow,
    Pick<FileRow, 'name' | 'asset_type' | 'size_bytes' | 'mime_type' | 'owner_id'> {
  /** Null when the file is not to be seen: it is being purged, or blocked. */
  in_trash: 0 | 1 | null
}

/**
 * A page of what has been shared with the caller and has not expired, newest first (decisions, "Shares"). Each
 * share's file is looked up the path: what is being purged or is blocked is left out of the page, which may then
 * be shorter than asked for.
 *
 * @throws INVALID_CURSOR
 */
export async function listSharedWith(
  ctx: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<{ shares: SharedWithMe[]; next_cursor: string | null }> {
  const after = cursor === undefined ? undefined : positionAt(cursor, LIST, isText)
  ctx.db.usePrimary()
  const rows = await ctx.db.all<SharedRow>(
    sql`SELECT shares.id, file_id, grantee_id, permission, expires_at, shares.created_at,
        name, asset_type, size_bytes, mime_type, files.owner_id,
        (WITH RECURSIVE walk (parent_id, created_at, trashed_at, purging, hidden, level) AS (
          SELECT files.parent_id, files.created_at, files.trashed_at, files.purging, files.blocked, 1
          UNION ALL
          SELECT above.parent_id, above.created_at,
            coalesce(walk.trashed_at, above.trashed_at),
            iif(walk.trashed_at IS NULL, above.purging, walk.purging),
            walk.hidden OR above.blocked,
            walk.level + 1
          FROM walk JOIN files AS above ON above.id = walk.parent_id
        )
        SELECT iif(hidden OR purging OR NOT ${isNotErasedShare} OR iif(trashed_at IS NULL,
            parent_id IS NOT NULL OR walk.created_at <= ${erasedUntil(sql`files.owner_id`)},
            trashed_at <= ${emptiedAt(sql`files.owner_id`)}
          ), NULL, trashed_at IS NOT NULL)
        FROM walk ORDER BY level DESC LIMIT 1) AS in_trash
      FROM shares JOIN files ON files.id = shares.file_id
      WHERE grantee_id = ${ctx.user_id} AND expired = 0
        AND (expires_at IS NULL OR expires_at > ${seconds(ctx)})
        ${after ? sql`AND shares.id < ${after.id}` : sql.empty()}
      ORDER BY shares.id DESC LIMIT ${limit + 1}`,
  )
  const page = pageOf(LIST, rows, limit, byId)
  const shown = page.rows.filter(({ in_trash }) => in_trash !== null)
  return { shares: shown.map(sharedWithMe), next_cursor: page.next_cursor }
}

function sharedWithMe(row: SharedRow): SharedWithMe {
  const { id, file_id, grantee_id, permission, expires_at, created_at } = row
  const { name, asset_type, size_bytes, mime_type, owner_id, in_trash } = row
  const file = { id: file_id, name, asset_type, size_bytes, mime_type, owner_id, in_trash: in_trash === 1 }
  return { id, file_id, grantee_id, permission, expires_at, created_at, file }
}
