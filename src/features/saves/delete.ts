import type { SavesContext } from '../../platform/context.ts'
import { accepted, callSaves, rulesOf } from './call-saves.ts'
import type { Removed, SaveCondition } from './rpc.ts'

/**
 * Deletes a slot of the caller's. It can be restored for TRASH_RETENTION_DAYS, unless its room is needed before.
 *
 * @throws SAVE_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteSave(ctx: SavesContext, slot: string, condition: SaveCondition): Promise<void> {
  accepted(
    await callSaves(
      ctx,
      ctx.user_id,
      async (saves): Promise<Removed> => saves.remove(slot, condition, rulesOf(ctx)),
      false,
    ),
  )
}
