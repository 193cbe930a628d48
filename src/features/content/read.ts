import type { RequestContext } from '../../platform/context.ts'
import { ApiError, storageUnavailable } from '../../platform/errors.ts'
import { inertContent } from '../../platform/lib/inert-content.ts'
import { askStorage } from '../../platform/storage/bucket.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import { type ReadyFile, readReadyFile } from '../files/read.ts'

/** The method and the condition of a read. */
interface Wanted {
  /** HEAD asks for the headers alone. */
  method: string
  /** The revisions whose content the client has; null: the current one, whichever that is. */
  known: number[] | null | undefined
}

/** A file, and its content as a stream: null when the client doesn't need it. */
interface Content {
  file: ReadyFile
  status: 200 | 304
  body: ReadableStream | null
}

/**
 * Opens the content of a file that is small enough for one answer (docs/conformance.md#small-content-in-one-request). Only a
 * user who may read the content learns that it has not changed.
 *
 * @throws FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY, CONTENT_TOO_LARGE; UNAVAILABLE, also when the object is missing
 */
export async function readContent(
  ctx: RequestContext,
  id: string,
  { method, known }: Wanted,
): Promise<Content> {
  const { bucket, config } = ctx
  const file = await readReadyFile(ctx, id)
  if (file.size_bytes > config.MAX_INLINE_BYTES)
    throw new ApiError('CONTENT_TOO_LARGE', {
      detail: `An answer has at most ${config.MAX_INLINE_BYTES} bytes of content. Get the URL, and download the content from it.`,
    })
  if (known === null || known?.includes(file.revision)) return { file, status: 304, body: null }
  if (method === 'HEAD') return { file, status: 200, body: null }
  const object = await askStorage(config, bucket.get(file.object_key))
  const body = object?.body ?? storageUnavailable(new Error(`the object ${file.object_key} is missing`))
  return { file, status: 200, body }
}

/** The headers of an answer that is the content of a file, which may have any type. */
export function contentHeaders({ file: { name, mime_type, size_bytes }, status }: Content) {
  return {
    'Content-Type': mime_type,
    ...(status === 200 && { 'Content-Length': String(size_bytes) }),
    'Content-Disposition': contentDisposition(name, mime_type),
    ...inertContent,
  }
}
