import type { SavesContext } from '../../platform/context.ts'
import { callOwnSaves } from './call-saves.ts'
import type { Removed, SaveCondition } from './rpc.ts'

/**
 * Deletes a slot of the caller's. It can be restored for TRASH_RETENTION_DAYS, unless its room is needed before.
 *
 * @throws SAVE_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteSave(ctx: SavesContext, slot: string, condition: SaveCondition): Promise<void> {
  await callOwnSaves(
    ctx,
    async (saves, rules): Promise<Removed> => saves.remove(slot, condition, rules),
    false,
  )
}
