import { GameStorageError } from '../errors.ts'
import type { Save } from '../records.ts'
import type { Resolution, SaveContent } from './save.ts'

export interface Conflict {
  readonly slot: string
  /** The save that is there; undefined when the slot is missing. */
  readonly current: Save | undefined
}

/** The type of `SaveConflict.resolve`. */
export type Resolve = (given: Resolution) => Promise<Save>

/**
 * A slot was not written, restored or deleted, because it holds another revision than the one that this client has read or written
 * last. Nothing is lost: `current` is what is there. Choose or merge, and `resolve`.
 *
 * @example
 * if (error instanceof SaveConflict) {
 *   const theirs = await client.saves.read({ slot: error.slot })
 *   await error.resolve({ bytes: merged(mine, theirs.bytes) })
 * }
 */
export class SaveConflict extends GameStorageError implements Conflict {
  override readonly name = 'SaveConflict'
  declare readonly code: 'PRECONDITION_FAILED'
  declare readonly status: 412
  readonly slot: string
  readonly current: Save | undefined
  /**
   * Writes these bytes over `current`, with the details of what was not written unless others are given.
   *
   * @throws SaveConflict when `current` has been replaced meanwhile; ServiceError, NetworkError
   */
  readonly resolve: Resolve

  constructor(
    { slot, current }: Conflict,
    resolve: Resolve,
    { request_id, cause }: { request_id?: string; cause?: unknown } = {},
  ) {
    const found = current === undefined ? 'is missing' : `is at revision ${current.revision}`
    super(`The slot "${slot}" ${found}, which this client has not read.`, {
      code: 'PRECONDITION_FAILED',
      status: 412,
      request_id,
      cause,
    })
    this.slot = slot
    this.current = current
    this.resolve = resolve
  }
}

/** What was not written. */
export interface Unwritten {
  /** What was not written: its bytes, and what was said about them. */
  readonly mine: SaveContent
  /** With `keep`: the revision in which the service keeps the bytes that were not written; undefined when it had no room. */
  readonly kept_revision: number | undefined
}

/** The SaveConflict of a write, which has what was not written. */
export class WriteConflict extends SaveConflict implements Unwritten {
  readonly mine: SaveContent
  readonly kept_revision: number | undefined

  constructor(
    conflict: Conflict & Unwritten,
    resolve: Resolve,
    known?: { request_id?: string; cause?: unknown },
  ) {
    super(conflict, resolve, known)
    this.mine = conflict.mine
    this.kept_revision = conflict.kept_revision
  }
}
