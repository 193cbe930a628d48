import type { SavesContext } from '../../platform/context.ts'
import { callOwnSaves } from './call-saves.ts'
import { isSpent } from './condition.ts'
import type { Restored, SaveCondition } from './rpc.ts'
import type { Save } from './schema.ts'

/**
 * Makes a new revision of a slot with the content of another, and brings a deleted slot back.
 *
 * @throws SAVE_NOT_FOUND, SAVE_REVISION_NOT_FOUND, PRECONDITION_FAILED, LIMIT_REACHED, QUOTA_EXCEEDED
 */
export async function restoreSave(
  ctx: SavesContext,
  slot: string,
  revision: number | undefined,
  condition: SaveCondition,
): Promise<Save> {
  const isRepeatable = revision === undefined || isSpent(condition)
  const { save } = await callOwnSaves(
    ctx,
    async (saves, rules): Promise<Restored> => saves.restore(slot, revision, condition, rules),
    isRepeatable,
  )
  return save
}
