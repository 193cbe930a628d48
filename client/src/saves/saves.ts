import { ServiceError } from '../errors.ts'
import { type SavesOperations, savesOf } from '../operations.ts'
import type { ChangeOptions, RequestOptions } from '../options.ts'
import type { Save, SaveList, SaveRevisionList } from '../records.ts'
import { checkNames, matching, newKey, type Transport } from '../transport.ts'
import { SaveConflict, WriteConflict } from './conflict.ts'
import { type OfflineOptions, OfflineSaves } from './offline/offline-saves.ts'
import type { SaveStore } from './offline/store.ts'
import { contentOf, isSame, type NewSave, type Replaced, type Resolution, type SaveContent } from './save.ts'
import {
  isTemporary,
  type ReadSave,
  type Refusal,
  refusalIn,
  type SavesService,
  savesService,
} from './service.ts'

/** The options of `saves.write`. */
export interface SaveWriteOptions extends RequestOptions {
  /** Writes over whatever is there, whether this client has read it or not. Default: false. */
  overwrite?: boolean | undefined
}

/** The options of `saves.restore` and `saves.delete`. */
export interface SaveChangeOptions extends ChangeOptions {
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
  readonly #operations: SavesOperations
  readonly #revisions = new Map<string, number>()
  /** Writes that may have been done, although they have no answer. */
  readonly #unanswered = new Map<string, Writing & { content: SaveContent }>()
  /** The last request of each slot. */
  readonly #turns = new Map<string, Promise<void>>()

  constructor(transport: Transport) {
    this.#transport = transport
    this.#service = savesService(transport)
    this.#operations = savesOf(transport)
  }

  /**
   * Writes a save over the revision that this client has read or written last.
   *
   * @example
   * await client.saves.write({ slot: 'auto', bytes, label: 'The harbour', played_seconds: 3_600 })
   *
   * @throws SaveConflict when the slot has another revision; TypeError for what is no bytes; URIError, TypeError for a text that
   * no request can carry; ServiceError, NetworkError
   */
  async write(given: NewSave, options: SaveWriteOptions = {}): Promise<Save> {
    checkNames(given, options)
    const { overwrite, signal, ...others } = options
    const [other] = Object.keys(others)
    if (other)
      throw new TypeError(
        `A save takes no ${other}: it goes over what this client has read, or with overwrite over anything.`,
      )
    const { slot, keep = false } = given
    const read = contentOf(given)
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
  read(
    { slot, revision }: { slot: string; revision?: number | undefined },
    options: RequestOptions = {},
  ): Promise<ReadSave> {
    return this.#inTurn(slot, async () => {
      const read = await this.#service.read(slot, revision, options)
      if (revision === undefined) this.#remember(slot, read.revision)
      return read
    })
  }

  /**
   * Lists the slots, the latest first; with `deleted`, those that can be restored. With the id of a `recall`, on behalf of a player,
   * the answer says what it would come to.
   *
   * @throws ServiceError, NetworkError
   */
  list(
    { deleted, recall }: { deleted?: boolean | undefined; recall?: string | undefined } = {},
    options: RequestOptions = {},
  ): Promise<SaveList> {
    return this.#operations.list({ ...(deleted && { deleted }), ...(recall && { recall }) }, options)
  }

  /** Lists the revisions of a slot that are kept, newest first. @throws ServiceError, NetworkError */
  listRevisions(given: { slot: string }, options: RequestOptions = {}): Promise<SaveRevisionList> {
    return this.#operations.listRevisions(given, options)
  }

  /**
   * Makes a new revision with the content of another, which stays, or brings a deleted slot back. A slot that this client has
   * read or written has to be at that revision, unless `overwrite` or another revision's `ifMatch` is set.
   *
   * @throws SaveConflict when the slot has another revision; ServiceError, NetworkError
   */
  restore(
    { slot, revision }: { slot: string; revision?: number | undefined },
    options: SaveChangeOptions = {},
  ): Promise<Save> {
    return this.#inTurn(slot, async () => {
      const body = revision === undefined ? {} : { revision }
      const { etag: _, ...save } = await this.#operations
        .restore({ slot, ...body }, this.#changing(slot, options))
        .catch((error: unknown) => this.#refused(slot, error))
      this.#remember(slot, save.revision)
      return save
    })
  }

  /**
   * Deletes a slot, which can be restored for some time. A slot that this client has read or written has to be at that
   * revision, unless `overwrite` or another revision's `ifMatch` is set.
   *
   * @throws SaveConflict when the slot has another revision; ServiceError, NetworkError
   */
  delete({ slot }: { slot: string }, options: SaveChangeOptions = {}): Promise<void> {
    return this.#inTurn(slot, async () => {
      await this.#operations
        .delete({ slot }, this.#changing(slot, options))
        .catch((error: unknown) => this.#refused(slot, error))
      this.#remember(slot, undefined)
    })
  }

  /**
   * Opens the saves that this device keeps while there is no connection. They are sent when there is one, by this object or, after
   * a restart, by the next over the same store. On behalf of a player there are none: a TypeError.
   *
   * @example
   * const saves = client.saves.offline(indexedDbStore())
   * saves.on('conflict', async (conflict) => conflict.resolve(await choose(conflict)))
   * await saves.write({ slot: 'auto', bytes })
   */
  offline(store: SaveStore, options?: OfflineOptions): OfflineSaves {
    this.#transport.checkOwn('A device without a network')
    return new OfflineSaves(this.#transport, store, options)
  }

  #changing(slot: string, { overwrite, signal, ifMatch }: SaveChangeOptions): ChangeOptions {
    const revision = overwrite ? undefined : this.#revisions.get(slot)
    return { signal, ...matching(ifMatch ?? (revision === undefined ? undefined : `"${revision}"`)) }
  }

  /** @throws the error, as a SaveConflict when it is one */
  #refused(slot: string, error: unknown): never {
    const refusal = refusalIn(error)
    throw refusal ? this.#conflict(slot, refusal, undefined, false) : error
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
    throw this.#conflict(slot, answer, mine, keep)
  }

  #conflict(
    slot: string,
    { error, current, kept_revision }: Refusal,
    mine: SaveContent | undefined,
    keep: boolean,
  ): SaveConflict {
    const known = { request_id: error.request_id, cause: error }
    const resolve = async (given: Resolution) => {
      const read = contentOf({ ...mine, ...given })
      const over = current?.revision ?? null
      return this.#inTurn(slot, async () => {
        const content = await read()
        const lost = this.#unanswered.get(slot)
        const isRepeated = lost?.over === over && lost.keep === keep && isSame(lost.content, content)
        return this.#write(slot, content, isRepeated ? lost : { over, keep, key: newKey() })
      })
    }
    return mine
      ? new WriteConflict({ slot, current, mine, kept_revision }, resolve, known)
      : new SaveConflict({ slot, current }, resolve, known)
  }

  /** Runs the requests of a slot one after the other: each is based on the revision that the one before has brought. */
  #inTurn<T>(slot: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(slot) ?? Promise.resolve()).then(act)
    this.#turns.set(slot, turn.then(nothing, nothing))
    return turn
  }
}

const nothing = () => {}
