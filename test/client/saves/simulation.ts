import { expect } from 'vitest'
import {
  acknowledged,
  type Entry,
  refused,
  resolved,
  sending,
  type Write,
  written,
} from '../../../client/src/saves/offline/entry.ts'
import { Entries } from '../../../client/src/saves/offline/store.ts'
import { type ModelRevision, ModelSlot, recordOf } from './model-slot.ts'

const SLOT = 'auto'

/** A request under way. It may arrive long after its sender has stopped waiting. */
interface Sent {
  write: Write
  over: number | null
  answer?: { done: ModelRevision | undefined; current: ModelRevision | undefined }
}

/** A device with a queue, another device that writes to the same slot, and a network that delays, reorders and loses. */
export class Simulation {
  readonly slot = new ModelSlot()
  readonly #entries = new Entries(new Map(), 'device')
  readonly #network: Sent[] = []
  /** The request whose answer the device waits for. */
  #awaited: Sent | undefined
  /** The revisions of the other device that the game has been shown in a conflict. */
  readonly #seen = new Set<number>()
  #writes = 0
  #last = ''

  entry(): Promise<Entry | undefined> {
    return this.#entries.get(SLOT)
  }

  /** The game writes. */
  async write(): Promise<void> {
    const content = this.#content()
    await this.#entries.change(SLOT, (entry) => written(entry, content))
  }

  /** The device sends, if it waits for nothing. */
  async send(): Promise<void> {
    if (this.#awaited) return
    const entry = await this.#entries.change(SLOT, (entry) => entry && sending(entry))
    if (entry?.state !== 'waiting' || !entry.sent) return
    this.#awaited = { write: entry.sent, over: entry.base }
    this.#network.push(this.#awaited)
  }

  /** A request arrives at the service: the oldest, or a later one. */
  arrive(index: number): void {
    const request = this.#network.splice(index % Math.max(1, this.#network.length), 1)[0]
    if (!request) return
    const before = this.slot.current
    const { write, over } = request
    const done = this.slot.write(textOf(write), 'device', over, write.key)
    if (this.slot.current !== before && before?.author === 'other')
      expect(this.#seen).toContain(before.revision)
    request.answer = { done, current: this.slot.current }
  }

  /** The answer arrives at the device, if it still waits for it. */
  async take(): Promise<void> {
    const { write, over, answer } = this.#awaited ?? {}
    if (!write || !answer) return
    this.#awaited = undefined
    const { done, current } = answer
    if (!done)
      expect(this.slot.revisions.some((one) => one.author === 'other' && one.revision > (over ?? 0))).toBe(
        true,
      )
    await this.#entries.change(SLOT, (entry) => {
      if (entry?.sent?.number !== write.number)
        throw new Error('The answer is to something that was not sent.')
      if (done) return acknowledged(entry, recordOf(done))
      return refused(entry, { current: current && recordOf(current), kept_revision: undefined })
    })
  }

  /** The answer is lost, or the device is killed and starts again: only its store survives. */
  lose(): void {
    this.#awaited = undefined
  }

  /** The other device writes over what is there: the same as this one, which is a write of its own. */
  writeElsewhere(): void {
    this.slot.write(this.#last, 'other', this.slot.current?.revision ?? null, `other ${this.#writes++}`)
  }

  /** A recall takes the slot back to what it had first, whatever the game has seen. */
  recall(): void {
    const [first] = this.slot.revisions
    if (first)
      this.slot.write(first.text, 'other', this.slot.current?.revision ?? null, `recall ${this.#writes++}`)
  }

  /** The game resolves a conflict. */
  async resolve(): Promise<void> {
    const entry = await this.entry()
    if (entry?.state !== 'conflict') return
    const { current } = entry.conflict ?? {}
    if (current) this.#seen.add(current.revision)
    const content = this.#content()
    await this.#entries.change(SLOT, (entry) => entry && resolved(entry, content))
  }

  /** What holds after each step: this device has what the game wrote last. */
  async check(): Promise<void> {
    const entry = await this.entry()
    expect(entry ? textOf(entry.latest) : '').toBe(this.#last)
    if (entry?.state !== 'saved') return
    expect(this.slot.revisions.find(({ revision }) => revision === entry.base)).toMatchObject({
      text: this.#last,
      author: 'device',
    })
  }

  /** The network is back, and the game resolves each conflict, until nothing waits. */
  async finish(): Promise<void> {
    for (let step = 0; step < 50; step++) {
      const entry = await this.entry()
      if (!entry || entry.state === 'saved') return
      await this.resolve()
      await this.send()
      while (this.#network.length > 0) this.arrive(0)
      await this.take()
      await this.check()
    }
    throw new Error('The device never came to rest.')
  }

  #content(): Omit<Write, 'number' | 'key'> {
    this.#last = `device ${this.#writes++}`
    return { bytes: Uint8Array.from(new TextEncoder().encode(this.#last)), label: `“${this.#writes}”` }
  }
}

const textOf = ({ bytes }: Write) => new TextDecoder().decode(bytes)
