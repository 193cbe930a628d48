import type { SavesContext } from '../../platform/context.ts'
import { callOwnSaves } from './call-saves.ts'
import type { History, ReadResult, SaveCondition, SlotList } from './rpc.ts'
import type { ListedSave, Save, SaveRevision } from './schema.ts'

/** All slots of the caller's, or the deleted ones, the latest first. */
export async function listSaves(
  ctx: SavesContext,
  deleted: boolean,
): Promise<{ saves: ListedSave[]; used_bytes: number; limit_bytes: number }> {
  const list = await callOwnSaves(
    ctx,
    async (saves, rules): Promise<SlotList> => saves.list(deleted, rules),
    true,
  )
  return { ...list, limit_bytes: ctx.config.SAVE_BYTES }
}

/**
 * A revision of a slot with its bytes; without them when the condition says that the caller has them.
 *
 * @throws SAVE_NOT_FOUND, SAVE_REVISION_NOT_FOUND
 */
export async function readSave(
  ctx: SavesContext,
  slot: string,
  revision: number | undefined,
  condition: SaveCondition,
): Promise<{ save: Save; bytes: ArrayBuffer | undefined }> {
  return callOwnSaves(
    ctx,
    async (saves, rules): Promise<ReadResult> => saves.read(slot, revision, condition, rules),
    true,
  )
}

/** The revisions of a slot, newest first. @throws SAVE_NOT_FOUND */
export async function listRevisions(ctx: SavesContext, slot: string): Promise<{ revisions: SaveRevision[] }> {
  return callOwnSaves(ctx, async (saves, rules): Promise<History> => saves.revisions(slot, rules), true)
}
