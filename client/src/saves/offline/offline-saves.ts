import { Emitter } from '../../emitter.ts'
import { ServiceError } from '../../errors.ts'
import type { RequestOptions } from '../../options.ts'
import type { Save } from '../../records.ts'
import { isOffline } from '../../surroundings.ts'
import type { Transport } from '../../transport.ts'
import type { WriteConflict } from '../conflict.ts'
import { contentOf, isReadOnlySlot, type NewSave } from '../save.ts'
import { isTemporary, type ReadSave } from '../service.ts'
import { type Device, openDevice } from './device.ts'
import { type Entry, fetched, written } from './entry.ts'
import { type RefusedSave, type SendBackoff, Sender } from './sender.ts'
import type { SaveStore } from './store.ts'

/** The options of `client.saves.offline()`. */
export interface OfflineOptions {
  /** The id of the user. Default: that of the token, which then has to be there without a network, too. */
  user?: string | undefined
  /** Delays between attempts: random, of at most `minDelayMs` (1,000) first, doubling up to `maxDelayMs` (30,000). */
  backoff?: Partial<SendBackoff> | undefined
  /** Ends the sending, as `close()` does. */
  signal?: AbortSignal | undefined
}

/** The events of `OfflineSaves`, and the value that listeners receive. */
export interface OfflineEvents {
  /** The service has a save that waited on this device. */
  saved: Save
  /** A save can't be sent, because the service has another one. Emitted once, and again after a restart. */
  conflict: WriteConflict
  /** A save could not be sent. It stays on this device, and is sent later. */
  error: unknown
  /**
   * Only the studio's servers write the slot, which a game of before has written. The listener gets what waited, and this device
   * forgets it. Without a listener it stays, as after any `error`.
   */
  refused: RefusedSave
}

/** A save as this device has it. */
export interface OfflineSave extends Omit<ReadSave, 'revision'> {
  /** Its revision, or the one that it is to replace; null when the slot was missing. */
  revision: number | null
  /** Whether the service has yet to get it. */
  is_waiting: boolean
}

const SLOT = /^(?!\.{1,2}$)[\w.-]{1,64}$/

/** Saves that are kept on this device first, and sent when there is a connection. `client.saves.offline()` opens them. */
export class OfflineSaves {
  readonly #sender: Sender
  readonly #emitter = new Emitter<OfflineEvents>()
  readonly #closing = new AbortController()
  readonly #open: () => Promise<Device>
  /** The bytes of the last write. They are read in turn, so that a `Blob` does not take the place of what was written after it. */
  #reading: Promise<unknown> = Promise.resolve()

  constructor(transport: Transport, store: SaveStore, { user, backoff = {}, signal }: OfflineOptions = {}) {
    let opening: Promise<Device> | undefined
    this.#open = () => {
      opening ??= openDevice(transport, store, user).catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    }
    const hooks = {
      onSaved: (save: Save) => this.#emitter.emit('saved', save),
      onConflict: (conflict: WriteConflict) => this.#emitter.emit('conflict', conflict),
      onError: (error: unknown) => this.#emitter.emit('error', error),
      onRefused: (refused: RefusedSave) => this.#emitter.emit('refused', refused),
    }
    const { minDelayMs = 1_000, maxDelayMs = 30_000 } = backoff
    this.#sender = new Sender(this.#open, { minDelayMs, maxDelayMs }, hooks, this.#closing.signal)
    const close = () => this.close()
    signal?.addEventListener('abort', close)
    this.#closing.signal.addEventListener('abort', () => signal?.removeEventListener('abort', close))
    if (signal?.aborted) this.close()
    // Starts in a microtask, so that listeners added right after construction receive every event.
    void Promise.resolve().then(() => this.#sender.wake())
  }

  /** Adds a listener. Returns a function that removes it. */
  on<Name extends keyof OfflineEvents>(
    name: Name,
    listener: (value: OfflineEvents[Name]) => void,
  ): () => void {
    return this.#emitter.on(name, listener)
  }

  /**
   * Keeps a save on this device, in place of what waits in the slot. Resolves when the store has it: from then on it is sent
   * when there is a connection, also after a restart.
   *
   * @throws TypeError when the slot can't be one, or only the studio's servers write it, and for what is no bytes; URIError, TypeError for a text that no request can
   * carry; the error of the store
   */
  async write(given: NewSave): Promise<void> {
    const { slot, keep } = given
    if (!SLOT.test(slot)) throw new TypeError(`"${slot}" can't be a slot.`)
    if (isReadOnlySlot(slot)) throw new TypeError(`Only the studio's servers write "${slot}".`)
    const reading = this.#reading.then(contentOf(given))
    this.#reading = reading.catch(() => {}) // Its writer gets the error.
    const content = { ...(await reading), keep }
    const { entries } = await this.#open()
    await entries.change(slot, (entry) => written(entry, content))
    this.#sender.wake()
  }

  /**
   * Reads a save: what waits on this device, else what the service has, else what this device had last.
   *
   * @throws ServiceError; NetworkError when this device has nothing
   */
  async read({ slot }: { slot: string }, options: RequestOptions = {}): Promise<OfflineSave> {
    const { entries, service } = await this.#open()
    const local = await entries.get(slot)
    if (local && (local.state !== 'saved' || isOffline())) return localSave(slot, local)
    try {
      const read = await service.read(slot, undefined, options)
      const entry = await entries.change(slot, (entry) => fetched(entry, contentOfRead(read), read.revision))
      return entry ? localSave(slot, entry) : { ...read, is_waiting: false }
    } catch (error) {
      if (local && isTemporary(error) && !options.signal?.aborted) return localSave(slot, local)
      if (error instanceof ServiceError && error.code === 'SAVE_NOT_FOUND')
        await entries.change(slot, (entry) =>
          entry?.latest.number === local?.latest.number ? undefined : entry,
        )
      throw error
    }
  }

  /** The slots with something that the service has yet to get, those in conflict included. */
  async waiting(): Promise<string[]> {
    const all = await this.#all()
    return all.flatMap(([slot, { state }]) => (state === 'saved' ? [] : [slot]))
  }

  /** The conflicts that are not resolved. */
  async conflicts(): Promise<WriteConflict[]> {
    const all = await this.#all()
    return all.flatMap(([slot, entry]) =>
      entry.state === 'conflict' ? [this.#sender.conflictOf(slot, entry)] : [],
    )
  }

  /**
   * Drops what this device has of a slot, also what was never sent: for a player who takes the save of another device, and after
   * a slot was deleted or restored.
   */
  async forget({ slot }: { slot: string }): Promise<void> {
    const { entries } = await this.#open()
    await entries.change(slot, () => undefined)
  }

  /**
   * Sends what waits, now. Resolves when nothing is left to send; conflicts stay.
   *
   * @throws ServiceError or NetworkError when something could not be sent
   */
  flush(): Promise<void> {
    return this.#sender.flush()
  }

  /** Ends the sending. What waits stays in the store, and is sent when it is opened again. */
  close(): void {
    this.#closing.abort()
  }

  async #all(): Promise<[slot: string, entry: Entry][]> {
    const { entries } = await this.#open()
    const all: [string, Entry][] = []
    for (const slot of await entries.slots()) {
      const entry = await entries.get(slot)
      if (entry) all.push([slot, entry])
    }
    return all
  }
}

function localSave(slot: string, { latest, base, state }: Entry): OfflineSave {
  const { bytes, mime_type, device, label, played_seconds } = latest
  return {
    slot,
    bytes,
    mime_type: mime_type ?? 'application/octet-stream',
    device: device ?? null,
    label: label ?? null,
    played_seconds: played_seconds ?? null,
    revision: base,
    is_waiting: state !== 'saved',
  }
}

function contentOfRead({ bytes, mime_type, device, label, played_seconds }: ReadSave) {
  return {
    bytes,
    mime_type,
    device: device ?? undefined,
    label: label ?? undefined,
    played_seconds: played_seconds ?? undefined,
  }
}
