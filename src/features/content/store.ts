import type { RequestContext } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { provesNoWrite } from '../../platform/db/session.ts'
import type { ApiError } from '../../platform/errors.ts'
import { askStorage, tryDelete } from '../../platform/storage/bucket.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'

/** Bytes, and the options with which they are stored: their metadata name the row that has their key. */
interface Stored {
  bytes: ArrayBuffer
  options: R2PutOptions
}

/** The most bytes that are put before their target is read. The read costs a trip, and saves a put and a deletion in R2. */
const MAX_BYTES_UNSEEN = 64 * 1024

interface Target<Row> {
  /** Reads why nothing can be written; undefined when nothing prevents it. */
  whyNot: () => Promise<ApiError | undefined>
  /** Gives the key to a row in one batch. Undefined when nothing was written. */
  write: (object_key: string) => Promise<Row | undefined>
}

/**
 * Puts bytes under a new key, and then calls `write`. More than MAX_BYTES_UNSEEN are not put for a target that can't take them.
 * Deletes the object when nothing was written. When the outcome is unknown, the object stays: the walk through the bucket
 * (orphans.ts) deletes it if no row names its key.
 *
 * @throws UNAVAILABLE, the error of `whyNot`, and what `write` throws
 */
export async function storeContent<Row>(
  ctx: RequestContext,
  { bytes, options }: Stored,
  { whyNot, write }: Target<Row>,
): Promise<Row | undefined> {
  if (bytes.byteLength > MAX_BYTES_UNSEEN) {
    ctx.db.usePrimary()
    const error = await whyNot()
    if (error) throw error
  }
  const object_key = newId(ctx.user_id)
  await askStorage(ctx.config, ctx.bucket.put(object_key, bytes, options))
  const written = await write(object_key).catch(async (error: unknown) => {
    if (provesNoWrite(error)) await tryDelete(ctx, { object_key, multipart_id: null })
    throw error
  })
  if (written === undefined) await tryDelete(ctx, { object_key, multipart_id: null })
  return written
}

/**
 * The metadata of an object that a request made the content of a file. `file` is the file's id: no row of `uploads` leads
 * from such an object to its file. The objects of uploads have `upload` in its place, which their URLs require.
 */
export function contentMetadata(file_id: string, mime_type: string, name?: string) {
  return metadata(mime_type, { file: file_id }, name)
}

/** The metadata of an object that a request made the preview of an asset: `asset` leads from the object to the asset. */
export function previewMetadata(asset_id: string, mime_type: string) {
  return metadata(mime_type, { asset: asset_id })
}

function metadata<Of extends Record<string, string>>(mime_type: string, customMetadata: Of, name?: string) {
  return {
    httpMetadata: { contentType: mime_type, contentDisposition: contentDisposition(name, mime_type) },
    customMetadata,
  }
}
