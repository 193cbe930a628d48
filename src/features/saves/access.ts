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

/** Whether a request comes from a server of the studio. */
export function isOfStudio({ acting }: Pick<SavesContext, 'acting'>): boolean {
  return acting?.as === 'studio'
}

/** Refuses to read a slot that the caller doesn't learn of. @throws SAVE_NOT_FOUND */
export function requireReadable(ctx: Pick<SavesContext, 'acting'>, slot: string): void {
  if (isHiddenSlot(slot) && !isOfStudio(ctx)) throw new ApiError('SAVE_NOT_FOUND')
}

/** Refuses to change a slot of the studio's servers, whether it is there or not. @throws SAVE_READ_ONLY */
export function requireWritable(ctx: Pick<SavesContext, 'acting'>, slot: string): void {
  if (isServerSlot(slot) && !isOfStudio(ctx)) throw new ApiError('SAVE_READ_ONLY')
}
