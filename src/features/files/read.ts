import { type RequestContext, seconds } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { ApiError } from '../../platform/errors.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { SignedUrl } from '../../platform/storage/presign.ts'
import { isOwn, pathIn, pathsTo, pathTo, type VisibleItem, visibleTo } from './path.ts'
import type { FileRow } from './row.ts'
import type { UrlOfFile } from './schema.ts'

/** Reads an item and the folders above it, as the caller sees them. @throws FILE_NOT_FOUND */
export async function readFile({ databases, user_id }: RequestContext, id: string): Promise<VisibleItem> {
  const db = databases.of(id)
  const path = await db.readOwnFromReplica(
    () => db.read(pathTo({ id })),
    (rows) => isOwn(rows, user_id),
  )
  const visible = visibleTo(path, user_id)
  if (!visible) throw new ApiError('FILE_NOT_FOUND')
  return visible
}

/** A file that has content. */
export interface ReadyFile extends FileRow {
  object_key: string
  mime_type: string
}

/** Reads a file whose content the caller may read. @throws FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY */
export async function readReadyFile(ctx: RequestContext, id: string): Promise<ReadyFile> {
  const { item } = await readFile(ctx, id)
  if (isReady(item)) return item
  const { processing_state } = item
  const code = whyNotReady(item)
  if (code === 'FILE_IS_FOLDER') throw new ApiError(code, { detail: 'List its files instead.' })
  throw new ApiError(code, {
    detail:
      processing_state === 'failed'
        ? 'The upload has failed: send the content with a new upload that has this `file_id`.'
        : `The upload is ${processing_state}: complete the upload first.`,
  })
}

/** Whether an item has content that can be read. */
function isReady(item: FileRow): item is ReadyFile {
  return item.processing_state === 'ready' && item.object_key !== null && item.mime_type !== null
}

/** The code of the error about an item without content that can be read. */
function whyNotReady({ asset_type }: FileRow): 'FILE_IS_FOLDER' | 'FILE_NOT_READY' {
  return asset_type === 'folder' ? 'FILE_IS_FOLDER' : 'FILE_NOT_READY'
}

/**
 * Signs a URL to download an item's content under the item's name. It is valid for DOWNLOAD_URL_TTL (docs/conformance.md#files).
 *
 * @throws FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY
 */
export async function downloadUrl(ctx: RequestContext, id: string): Promise<SignedUrl> {
  return signedUrl(ctx, await readReadyFile(ctx, id))
}

/** Signs a URL to download a file's content under the file's name. */
function signedUrl(ctx: RequestContext, { object_key, name, mime_type }: ReadyFile): Promise<SignedUrl> {
  const disposition = contentDisposition(name, mime_type)
  return ctx.sign.download(object_key, disposition, seconds(ctx), ctx.config.DOWNLOAD_URL_TTL)
}

/**
 * Signs URLs to download the content of files, in the order of their ids: for each, the URL or the code of the error that
 * `downloadUrl` throws. From the primaries: what an owner has just made private has no URL for others.
 *
 * @throws UNAVAILABLE, also when one of several databases does not answer
 */
export async function downloadUrls(ctx: RequestContext, ids: readonly string[]): Promise<UrlOfFile[]> {
  const wanted = [...new Set(ids)].filter(isId).map((id) => ({ id }))
  const rows = await readByIds(ctx.databases, wanted, (some) =>
    pathsTo({ ids: JSON.stringify(some.map(({ id }) => id)) }),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return Promise.all(
    ids.map(async (id) => {
      const item = visibleTo(pathIn(byId, id), ctx.user_id)?.item
      if (!item) return { id, code: 'FILE_NOT_FOUND' }
      return isReady(item) ? { id, ...(await signedUrl(ctx, item)) } : { id, code: whyNotReady(item) }
    }),
  )
}
