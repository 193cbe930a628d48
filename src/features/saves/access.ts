import type { SavesContext } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'

/** Whether a slot is of the studio's servers: players only read it. */
export function isServerSlot(slot: string): boolean {
  return slot.startsWith('server.')
}

/** Whether a slot is of the studio's servers, and players don't learn of it. */
export function isHiddenSlot(slot: string): boolean {
  return slot.startsWith('server.hidden.')
}

/** Refuses to read a slot that the caller doesn't learn of. @throws SAVE_NOT_FOUND */
export function requireReadable({ acting }: Pick<SavesContext, 'acting'>, slot: string): void {
  if (isHiddenSlot(slot) && !acting?.reads_as_studio) throw new ApiError('SAVE_NOT_FOUND')
}

/** Refuses to change a slot of the studio's servers, whether it is there or not. @throws SAVE_READ_ONLY */
export function requireWritable({ acting }: Pick<SavesContext, 'acting'>, slot: string): void {
  if (isServerSlot(slot) && !acting?.writes_as_studio) throw new ApiError('SAVE_READ_ONLY')
}
