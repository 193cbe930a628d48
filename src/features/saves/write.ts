import type { SavesContext } from '../../platform/context.ts'
import { callOwnSaves } from './call-saves.ts'
import { isSpent } from './condition.ts'
import type { SaveContent, SaveWrite, Written } from './rpc.ts'
import type { Save } from './schema.ts'

/** What a client sends with the bytes. */
type Metadata = Omit<SaveContent, 'size_bytes'>

/**
 * Writes a slot of the caller's. A write with a key, or whose condition ends with it, can be repeated: it gets the answer of
 * the first.
 *
 * @throws PRECONDITION_FAILED, IDEMPOTENCY_KEY_REUSED, LIMIT_REACHED, QUOTA_EXCEEDED
 */
export async function writeSave(
  ctx: SavesContext,
  request: Omit<SaveWrite, 'content'>,
  metadata: Metadata,
): Promise<{ save: Save; is_new: boolean }> {
  const content = { ...metadata, size_bytes: request.bytes.byteLength }
  const call = { ...request, content }
  return callOwnSaves(
    ctx,
    async (saves, rules): Promise<Written> => saves.write(call, rules),
    request.idempotency_key !== null || isSpent(request),
  )
}
