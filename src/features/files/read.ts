import { type RequestContext, seconds } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { SignedUrl } from '../../platform/storage/presign.ts'
import type { FileRow } from './row.ts'
import { isOwn } from './tree/lifecycle.ts'
import { type VisibleItem, visibleTo } from './tree/visibility.ts'
import { pathTo } from './tree/walk.ts'

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
export function isReady(item: FileRow): item is ReadyFile {
  return item.processing_state === 'ready' && item.object_key !== null && item.mime_type !== null
}

/** The code of the error about an item without content that can be read. */
export function whyNotReady({ asset_type }: FileRow): 'FILE_IS_FOLDER' | 'FILE_NOT_READY' {
  return asset_type === 'folder' ? 'FILE_IS_FOLDER' : 'FILE_NOT_READY'
}

/**
 * Signs a URL to download an item's content under the item's name. It is valid for DOWNLOAD_URL_TTL (docs/conformance.md#2-records).
 *
 * @throws FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY
 */
export async function downloadUrl(ctx: RequestContext, id: string): Promise<SignedUrl> {
  return signedUrl(ctx, await readReadyFile(ctx, id))
}

/** Signs a URL to download a file's content under the file's name. */
export function signedUrl(
  ctx: RequestContext,
  { object_key, name, mime_type }: ReadyFile,
): Promise<SignedUrl> {
  const disposition = contentDisposition(name, mime_type)
  return ctx.sign.download(object_key, disposition, seconds(ctx), ctx.config.DOWNLOAD_URL_TTL)
}
