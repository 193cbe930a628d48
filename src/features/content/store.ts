import type { RequestContext } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { provesNoWrite } from '../../platform/db/session.ts'
import { askStorage } from '../../platform/storage/ask.ts'
import { tryDelete } from '../../platform/storage/delete.ts'

/** Bytes, and the options with which they are stored: their metadata name the row that has their key. */
interface Stored {
  bytes: ArrayBuffer
  options: R2PutOptions
}

/**
 * Puts bytes under a new key, and then calls `write`, which gives the key to a row in one batch. Deletes the object when
 * nothing was written. When that is unknown, the object stays: the walk through the bucket deletes it if no row has it
 * (src/platform/storage/remove-orphans.ts).
 *
 * @throws UNAVAILABLE, and what `write` throws
 */
export async function storeContent<Row>(
  ctx: RequestContext,
  { bytes, options }: Stored,
  write: (object_key: string) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const object_key = newId(ctx.user_id)
  await askStorage(ctx.config, ctx.bucket.put(object_key, bytes, options))
  const written = await write(object_key).catch(async (error: unknown) => {
    if (provesNoWrite(error)) await tryDelete(ctx, { object_key, multipart_id: null })
    throw error
  })
  if (written === undefined) await tryDelete(ctx, { object_key, multipart_id: null })
  return written
}
