import type { BytesSource } from '../bytes.ts'
import type { SaveContent, SaveDetails } from './save.ts'
import type { Save } from './service.ts'

export interface Conflict {
  readonly slot: string
  /** The save that is there; undefined when the slot is missing. */
  readonly current: Save | undefined
  /** What was not written. */
  readonly mine: SaveContent
  /** With `keep`: the revision in which the service keeps the bytes that were not written; undefined when it had no room. */
  readonly kept_revision: number | undefined
}

/** The type of `SaveConflict.resolve`. */
export type Resolve = (bytes: BytesSource, details?: SaveDetails) => Promise<Save>

/**
 * A save was not written, because the slot holds another revision than the one that this client has read or written last.
 * Nothing is lost: `current` is what is there, `mine` what was not written. Choose or merge, and `resolve`.
 *
 * @example
 * if (error instanceof SaveConflict) await error.resolve(merged(error.mine.bytes, (await client.saves.read(slot)).bytes))
 */
export class SaveConflict extends Error implements Conflict {
  override readonly name = 'SaveConflict'
  readonly slot: string
  readonly current: Save | undefined
  readonly mine: SaveContent
  readonly kept_revision: number | undefined
  /**
   * Writes these bytes over `current`, with the details of `mine` unless others are given.
   *
   * @throws SaveConflict when `current` has been replaced meanwhile; ServiceError, NetworkError
   */
  readonly resolve: Resolve

  constructor({ slot, current, mine, kept_revision }: Conflict, resolve: Resolve, cause?: unknown) {
    const found = current === undefined ? 'is missing' : `is at revision ${current.revision}`
    super(`The slot "${slot}" ${found}, which this client has not read.`, { cause })
    this.slot = slot
    this.current = current
    this.mine = mine
    this.kept_revision = kept_revision
    this.resolve = resolve
  }
}
