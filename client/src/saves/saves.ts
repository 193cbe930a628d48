import type { BytesSource } from '../bytes.ts'
import { ServiceError } from '../errors.ts'
import type { Operations } from '../operations.ts'
import type { ChangeOptions, RequestOptions } from '../options.ts'
import { newKey, type Transport } from '../transport.ts'
import { SaveConflict } from './conflict.ts'
import { type OfflineOptions, OfflineSaves } from './offline/offline-saves.ts'
import type { SaveStore } from './offline/store.ts'
import { contentOf, isSame, type Replaced, type SaveContent, type SaveDetails } from './save.ts'
import { isTemporary, type ReadSave, type Save, type SavesService, savesService } from './service.ts'

/** The options of `client.saves.write`. */
export interface SaveWriteOptions extends SaveDetails, RequestOptions {
  /** Whether the service keeps the bytes of a conflict as a revision that is not current. Default: false. */
  keep?: boolean | undefined
  /** Writes over whatever is there, whether this client has read it or not. Default: false. */
  overwrite?: boolean | undefined
}

/** The options of `client.saves.restore` and `client.saves.delete`. */
export interface SaveChangeOptions extends RequestOptions {
  /** Changes the slot whatever is there, whether this client has read it or not. Default: false. */
  overwrite?: boolean | undefined
}

interface Writing {
  over: Replaced
  keep: boolean
  /** The Idempotency-Key, which its repetitions have, too. */
  key: string
}

/**
 * The saves of the user. Remembers the revision of each slot that it has read or written last, and replaces no other: a slot
 * that it has not read is only written while the slot is missing.
 */
export class Saves {
  readonly #transport: Transport
  readonly #service: SavesService
  readonly #operations: Operations
  readonly #revisions = new Map<string, number>()
  /** Writes that may have been done, although they have no answer. */
  readonly #unanswered = new Map<string, Writing & { content: SaveContent }>()
  /** The last request of each slot. */
  readonly #turns = new Map<string, Promise<void>>()

  constructor(transport: Transport, operations: Operations) {
    this.#transport = transport
    this.#service = savesService(transport)
    this.#operations = operations
  }

  /**
   * Writes a save over the revision that this client has read or written last.
   *
   * @example
   * await client.saves.write('auto', bytes, { label: 'The harbour', playedSeconds: 3_600 })
   *
   * @throws SaveConflict when the slot has another revision; TypeError for what is no bytes; URIError, TypeError for a text that
   * no request can carry; ServiceError, NetworkError
   */
  async write(
    slot: string,
    bytes: BytesSource,
    { overwrite, keep = false, signal, ...details }: SaveWriteOptions = {},
  ): Promise<Save> {
    const read = contentOf(bytes, details)
    return this.#inTurn(slot, async () => {
      const content = await read()
      if (overwrite) return this.#write(slot, content, { over: 'any', keep, key: newKey() }, signal)
      const unanswered = this.#unanswered.get(slot)
      if (unanswered && unanswered.keep === keep && isSame(unanswered.content, content))
        return this.#write(slot, content, unanswered, signal)
      // Repeated first, because otherwise this write would be in conflict with it.
      if (unanswered)
        await this.#write(slot, unanswered.content, unanswered, signal).catch((error) => {
          if (this.#unanswered.has(slot)) throw error
        })
      const over = this.#revisions.get(slot) ?? null
      return this.#write(slot, content, { over, keep, key: newKey() }, signal)
    })
  }

  /** Reads a save: the current revision, or the one that is given. @throws ServiceError, NetworkError */
  read(slot: string, { revision, signal }: { revision?: number | undefined } & RequestOptions = {}) {
    return this.#inTurn(slot, async (): Promise<ReadSave> => {
      const read = await this.#service.read(slot, revision, { signal })
      if (revision === undefined) this.#remember(slot, read.revision)
      return read
    })
  }

  /** Lists the slots, the latest first; with `deleted`, those that can be restored. @throws ServiceError, NetworkError */
  list({ deleted = false, signal }: { deleted?: boolean | undefined } & RequestOptions = {}) {
    return this.#operations.listSaves(deleted ? { deleted } : {}, { signal })
  }

  /** Lists the revisions of a slot that are kept, newest first. @throws ServiceError, NetworkError */
  revisions(slot: string, { signal }: RequestOptions = {}) {
    return this.#operations.listSaveRevisions({ slot }, { signal })
  }

  /**
   * Makes a new revision with the content of another, which stays, or brings a deleted slot back. A slot that this client has
   * read or written has to be at that revision, unless `overwrite` is set.
   *
   * @throws ServiceError PRECONDITION_FAILED, with `current`, when the slot has another revision; NetworkError
   */
  restore(
    slot: string,
    { revision, ...options }: { revision?: number | undefined } & SaveChangeOptions = {},
  ): Promise<Save> {
    return this.#inTurn(slot, async () => {
      const body = revision === undefined ? {} : { revision }
      const { etag: _, ...save } = await this.#operations.restoreSave(
        { slot, ...body },
        this.#changing(slot, options),
      )
      this.#remember(slot, save.revision)
      return save
    })
  }

  /**
   * Deletes a slot, which can be restored for some time. A slot that this client has read or written has to be at that
   * revision, unless `overwrite` is set.
   *
   * @throws ServiceError PRECONDITION_FAILED, with `current`, when the slot has another revision; NetworkError
   */
  delete(slot: string, options: SaveChangeOptions = {}): Promise<void> {
    return this.#inTurn(slot, async () => {
      await this.#operations.deleteSave({ slot }, this.#changing(slot, options))
      this.#remember(slot, undefined)
    })
  }

  /**
   * Opens the saves that this device keeps while there is no connection. They are sent when there is one, by this object or, after
   * a restart, by the next over the same store.
   *
   * @example
   * const saves = client.saves.offline(indexedDbStore())
   * saves.on('conflict', async (conflict) => conflict.resolve(await choose(conflict)))
   * await saves.write('auto', bytes)
   */
  offline(store: SaveStore, options?: OfflineOptions): OfflineSaves {
    return new OfflineSaves(this.#transport, store, options)
  }

  #changing(slot: string, { overwrite, signal }: SaveChangeOptions): ChangeOptions {
    const revision = overwrite ? undefined : this.#revisions.get(slot)
    return { signal, ifMatch: revision === undefined ? undefined : `"${revision}"` }
  }

  #remember(slot: string, revision: number | undefined): void {
    this.#unanswered.delete(slot)
    if (revision === undefined) this.#revisions.delete(slot)
    else this.#revisions.set(slot, revision)
  }

  async #write(
    slot: string,
    mine: SaveContent,
    { over, keep, key }: Writing,
    signal?: AbortSignal,
  ): Promise<Save> {
    const answer = await this.#service.write(slot, mine, { over, keep, key, signal }).catch((error) => {
      const mayBeDone = !(error instanceof ServiceError) || error.status >= 500
      if (mayBeDone && over !== 'any') this.#unanswered.set(slot, { content: mine, over, keep, key })
      else if (!isTemporary(error)) this.#unanswered.delete(slot)
      throw error
    })
    if (!('error' in answer)) {
      this.#remember(slot, answer.revision)
      return answer
    }
    this.#unanswered.delete(slot)
    const { error, current, kept_revision } = answer
    throw new SaveConflict(
      { slot, current, mine, kept_revision },
      async (bytes, details) => {
        const read = contentOf(bytes, { ...mine, ...details })
        const over = current?.revision ?? null
        return this.#inTurn(slot, async () => {
          const content = await read()
          const lost = this.#unanswered.get(slot)
          const isRepeated = lost?.over === over && lost.keep === keep && isSame(lost.content, content)
          return this.#write(slot, content, isRepeated ? lost : { over, keep, key: newKey() })
        })
      },
      error,
    )
  }

  /** Runs the requests of a slot one after the other: each is based on the revision that the one before has brought. */
  #inTurn<T>(slot: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(slot) ?? Promise.resolve()).then(act)
    this.#turns.set(slot, turn.then(nothing, nothing))
    return turn
  }
}

const nothing = () => {}
