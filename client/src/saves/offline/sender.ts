import { ServiceError } from '../../errors.ts'
import type { Save } from '../../records.ts'
import { abortReason, jitteredDelay } from '../../retry.ts'
import { isOffline, onReturn } from '../../surroundings.ts'
import { Timer } from '../../timer.ts'
import { WriteConflict } from '../conflict.ts'
import { contentOf, type SaveContent } from '../save.ts'
import { isReadOnly, isTemporary } from '../service.ts'
import type { Device } from './device.ts'
import { acknowledged, type Entry, refused, rejected, resolved, sending } from './entry.ts'

/** Delays between attempts. */
export interface SendBackoff {
  minDelayMs: number
  maxDelayMs: number
}

/** What was kept for a slot that only the studio's servers write. */
export interface RefusedSave {
  readonly slot: string
  /** What was not written: its bytes, and what was said about them. */
  readonly mine: SaveContent
  readonly error: ServiceError
}

interface Hooks {
  onSaved: (save: Save) => void
  onConflict: (conflict: WriteConflict) => void
  onError: (error: unknown) => void
  /** Returns whether the application has taken it. */
  onRefused: (refused: RefusedSave) => boolean
}

/** A round begins this often although `navigator.onLine` is false: it may be wrong. */
const OFFLINE_MS = 30_000
/** The name of the lock of a round. No slot has it. */
const ROUND = '/'

/** Sends what waits on a device: in rounds through all slots, one round at a time. */
export class Sender {
  readonly #device: () => Promise<Device>
  readonly #backoff: SendBackoff
  readonly #hooks: Hooks
  readonly #signal: AbortSignal
  readonly #timer = new Timer()
  /** The conflicts that have been told, by slot. */
  readonly #told = new Map<string, string>()
  #failures = 0
  #round: Promise<void> | undefined
  /** Whether something has been written since the round looked. */
  #isDue = false
  /** Whether the next round begins by the timer; `asked`: by the service's wish, also when the network is back. */
  #isWaiting: boolean | 'asked' = false

  constructor(device: () => Promise<Device>, backoff: SendBackoff, hooks: Hooks, signal: AbortSignal) {
    this.#device = device
    this.#backoff = backoff
    this.#hooks = hooks
    this.#signal = signal
    const stopListening = onReturn(() => this.#isWaiting !== 'asked' && this.#begin())
    const stop = () => {
      stopListening()
      this.#timer.stop()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  }

  /** Sends what waits, now or when the next attempt is due. */
  wake(): void {
    this.#isDue = true
    if (this.#isWaiting || this.#signal.aborted) return
    if (isOffline()) this.#wait(OFFLINE_MS)
    else this.#begin()
  }

  /** Sends what waits, now. @throws the error for which something could not be sent */
  async flush(): Promise<void> {
    await this.#round?.catch(() => {}) // It may have passed a slot before that was written.
    await this.#startRound()
  }

  /** The conflict of a slot, as the application gets it. */
  conflictOf(slot: string, { latest, conflict }: Entry): WriteConflict {
    const { number, keep, key, ...mine } = latest
    const told = { slot, mine, current: conflict?.current, kept_revision: conflict?.kept_revision }
    return new WriteConflict(told, async (given) =>
      this.#resolve(slot, number, await contentOf({ ...mine, ...given })()),
    )
  }

  async #resolve(slot: string, number: number, content: SaveContent): Promise<Save> {
    const { entries } = await this.#device()
    let isTaken = false
    const decided = await entries.change(slot, (entry) => {
      // The game may have written to the slot since it was told.
      isTaken = entry?.state === 'conflict' && entry.latest.number === number
      return entry && isTaken ? resolved(entry, content) : entry
    })
    if (!isTaken && decided?.state !== 'conflict')
      throw new Error(`The conflict of the slot "${slot}" has been resolved already.`)
    const entry = isTaken ? await this.#sendNow(slot) : decided
    if (entry?.state === 'conflict') {
      this.#isNews(slot, entry)
      throw this.conflictOf(slot, entry)
    }
    if (!entry?.save) throw new Error(`The slot "${slot}" has been forgotten.`)
    return entry.save
  }

  async #sendNow(slot: string): Promise<Entry | undefined> {
    try {
      const { entries } = await this.#device()
      return await entries.exclusively(ROUND, () => this.#send(slot))
    } catch (error) {
      this.#failed(error)
      throw error
    }
  }

  #begin(): void {
    if (!this.#signal.aborted) this.#startRound().catch(() => {}) // The hook has told the error.
  }

  #startRound(): Promise<void> {
    this.#timer.stop()
    this.#isWaiting = false
    this.#round ??= this.#run().finally(() => {
      this.#round = undefined
      // Written after the round's last look.
      if (this.#isDue && !this.#isWaiting) this.#begin()
    })
    return this.#round
  }

  /** Goes through all slots until nothing is left to send. @throws the error for which something could not be sent */
  async #run(): Promise<void> {
    let refusal: { error: unknown } | undefined
    try {
      const { entries } = await this.#device()
      await entries.exclusively(ROUND, async () => {
        do {
          this.#isDue = false
          for (const slot of await entries.slots())
            await this.#tellOf(slot).catch((error: unknown) => {
              if (isTemporary(error)) throw error
              refusal ??= { error }
              this.#hooks.onError(error)
            })
        } while (this.#isDue)
      })
      this.#failures = 0
    } catch (error) {
      this.#failed(error)
      throw error
    }
    if (refusal) throw refusal.error
  }

  async #tellOf(slot: string): Promise<void> {
    const entry = await this.#send(slot)
    if (entry?.state !== 'conflict') this.#told.delete(slot)
    else if (this.#isNews(slot, entry)) this.#hooks.onConflict(this.conflictOf(slot, entry))
  }

  /** Sends what waits in a slot. Each step is in the store before the next: whoever is killed goes on there. */
  async #send(slot: string): Promise<Entry | undefined> {
    const { entries, service } = await this.#device()
    for (;;) {
      if (this.#signal.aborted) throw abortReason(this.#signal)
      const entry = await entries.change(slot, (entry) => entry && sending(entry))
      if (entry?.state !== 'waiting' || !entry.sent) return entry
      const { sent, base } = entry
      const options = { over: base, keep: sent.keep, key: sent.key, signal: this.#signal }
      /** Takes the step of an answer, unless the slot was forgotten meanwhile. */
      const change = (step: (entry: Entry) => Entry | undefined) =>
        entries.change(slot, (entry) => (entry?.sent?.number === sent.number ? step(entry) : entry))
      try {
        const answer = await service.write(slot, sent, options)
        await change((entry) => ('error' in answer ? refused(entry, answer) : acknowledged(entry, answer)))
        if (!('error' in answer)) this.#hooks.onSaved(answer)
      } catch (error) {
        if (isTemporary(error)) throw error
        const { number, keep, key, ...mine } = sent
        // Told before it is dropped: an application that is killed in between is told again.
        const isTaken = isReadOnly(error) && this.#hooks.onRefused({ slot, mine, error })
        const left = await change((entry) =>
          isTaken && entry.latest.number === number ? undefined : rejected(entry),
        )
        if (left?.latest.number === number) throw error
      }
    }
  }

  /** Whether a conflict has not been told. */
  #isNews(slot: string, { base, conflict }: Entry): boolean {
    const key = `${base} ${conflict?.current?.revision}`
    if (this.#told.get(slot) === key) return false
    this.#told.set(slot, key)
    return true
  }

  #failed(error: unknown): void {
    if (this.#signal.aborted) return
    this.#hooks.onError(error)
    if (!isTemporary(error)) return
    this.#failures += 1
    const retryAfterMs = error instanceof ServiceError ? (error.retry_after ?? 0) * 1_000 : 0
    this.#wait(retryAfterMs + jitteredDelay(this.#backoff, this.#failures), retryAfterMs > 0)
  }

  #wait(delay_ms: number, isAsked = false): void {
    this.#isWaiting = isAsked ? 'asked' : true
    this.#timer.start(delay_ms, () => this.#begin())
  }
}
