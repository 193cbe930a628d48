import type { ByteArray } from '../../bytes.ts'
import type { Entry, Write } from './entry.ts'
import { exclusively } from './locks.ts'

/**
 * Where saves are kept until they are sent: a `Map`, or what your platform has that outlives the game. `set` replaces a value
 * as a whole: after a crash either the old or the new one is there.
 */
export interface SaveStore {
  get(key: string): Uint8Array | undefined | Promise<Uint8Array | undefined>
  set(key: string, value: ByteArray): unknown
  delete(key: string): unknown
}

/** The entries of one user in a store. */
export class Entries {
  readonly #store: SaveStore
  readonly #prefix: string

  constructor(store: SaveStore, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  /** The slots that have had an entry. */
  async slots(): Promise<string[]> {
    const slots = await this.#store.get(this.#prefix)
    return slots ? JSON.parse(textOf(slots)) : []
  }

  async get(slot: string): Promise<Entry | undefined> {
    const packed = await this.#store.get(this.#keyOf(slot))
    return packed && unpacked(packed)
  }

  /** Takes a step, which no other page and no other object of this page takes at the same time. */
  async change(
    slot: string,
    step: (entry: Entry | undefined) => Entry | undefined,
  ): Promise<Entry | undefined> {
    await this.#addSlot(slot)
    return this.exclusively(slot, async () => {
      const before = await this.get(slot)
      const after = step(before)
      if (after === before) return after
      if (after) await this.#store.set(this.#keyOf(slot), packed(after))
      else await this.#store.delete(this.#keyOf(slot))
      return after
    })
  }

  exclusively<T>(name: string, act: () => Promise<T>): Promise<T> {
    return exclusively(this.#store, this.#keyOf(name), act)
  }

  /** A store can't list its keys, so a slot is added before its entry. */
  async #addSlot(slot: string): Promise<void> {
    if ((await this.slots()).includes(slot)) return
    await this.exclusively('', async () => {
      const slots = new Set([...(await this.slots()), slot])
      await this.#store.set(this.#prefix, bytesOf(JSON.stringify([...slots])))
    })
  }

  #keyOf(slot: string): string {
    return `${this.#prefix}/${slot}`
  }
}

/** An entry as bytes: the length of the rest, which is JSON; the bytes of `latest`; those of `sent`, if they are others. */
function packed({ latest, sent, ...rest }: Entry): ByteArray {
  const isLatest = sent?.number === latest.number
  const writes = sent && !isLatest ? [latest, sent] : [latest]
  const described = writes.map(({ bytes, ...write }) => ({ ...write, size: bytes.length }))
  const head = bytesOf(JSON.stringify({ ...rest, writes: described, isLatest }))
  const result = new Uint8Array(4 + head.length + writes.reduce((sum, { bytes }) => sum + bytes.length, 0))
  new DataView(result.buffer).setUint32(0, head.length)
  let at = 4
  for (const piece of [head, ...writes.map(({ bytes }) => bytes)]) {
    result.set(piece, at)
    at += piece.length
  }
  return result
}

interface Packed extends Pick<Entry, 'base' | 'state' | 'save' | 'conflict'> {
  writes: (Omit<Write, 'bytes'> & { size: number })[]
  isLatest: boolean
}

function unpacked(bytes: Uint8Array): Entry {
  let at = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const { writes, isLatest, ...rest }: Packed = JSON.parse(textOf(bytes.subarray(4, at)))
  const [latest, sent] = writes.map(({ size, ...write }) => {
    at += size
    return { ...write, bytes: new Uint8Array(bytes.subarray(at - size, at)) }
  })
  if (!latest) throw new Error('The store has changed what was put into it.')
  return { ...rest, latest, sent: isLatest ? latest : sent }
}

/** A text as bytes of ASCII, because some runtimes lack TextDecoder. */
function bytesOf(json: string): ByteArray {
  const ascii = json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return Uint8Array.from(ascii, (unit) => unit.charCodeAt(0))
}

function textOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}
