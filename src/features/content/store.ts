import type { RequestContext } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { provesNoWrite } from '../../platform/db/session.ts'
import { askStorage } from '../../platform/storage/ask.ts'
import { contentMetadata } from '../../platform/storage/content-metadata.ts'
import { tryDelete } from '../../platform/storage/delete.ts'
import type { ReceivedContent } from './received.ts'

/**
 * Puts the content of a file under a new key, and then calls `write`, which makes the object the content in one batch. Deletes
 * the object when nothing was written. When that is unknown, the object stays: the walk through the bucket deletes it if no
 * row has it (src/platform/storage/remove-orphans.ts).
 *
 * @throws UNAVAILABLE, and what `write` throws
 */
export async function storeContent<Row>(
  ctx: RequestContext,
  { bytes, mime_type, digest }: ReceivedContent,
  { file_id, name }: { file_id: string; name?: string },
  write: (object_key: string) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const object_key = newId(ctx.user_id)
  // R2 compares the digest with what arrives there, and keeps it.
  const options = { ...contentMetadata(file_id, mime_type, name), sha256: digest }
  await askStorage(ctx.config, ctx.bucket.put(object_key, bytes, options))
  const written = await write(object_key).catch(async (error: unknown) => {
    if (provesNoWrite(error)) await tryDelete(ctx, { object_key, multipart_id: null })
    throw error
  })
  if (written === undefined) await tryDelete(ctx, { object_key, multipart_id: null })
  return written
}
