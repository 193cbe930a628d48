/** An inbox that is watched. It runs in Node and in the page of a browser alike, so it imports nothing of Node. */
import { createClient, type Inbox, type InboxSnapshot } from '#client'
import type { Game } from './game.ts'

/** A change of the device: to the notification at a position, to several from there on, to those that are read, or to all. */
export interface Change {
  position: number
  kind: 'read' | 'delete' | 'delete many' | 'delete read' | 'delete all'
}

/** What a run may see of it. */
export interface Report {
  snapshot: InboxSnapshot<Game> | undefined
  /** The ids of the notifications that were told, in the order in which they were. */
  told: string[]
  /** The ids of the signals, likewise. */
  signals: string[]
  /** Where the list went from one seq to another that is not the next: it had been read again. */
  jumps: [from: number, to: number][]
  /** The badge and the number of notifications at each seq that was shown. */
  counts: [seq: number, unread: number, total: number][]
  /** How many connections have left `after` out. */
  forgotten: number
  /** How often the inbox has been in each state. */
  states: Record<string, number>
  /** How often each error was told, by its code or name. */
  errors: Record<string, number>
}

export interface SubjectOptions {
  baseUrl: string
  token: (request: { renew: boolean }) => Promise<string>
  /** Draws numbers from 0 to below 1. */
  random: () => number
}

/** The part of the connections that leave `after` out, to which the service says `recovered: false`. */
const FORGETTING = 0.2

/** After many failures Chromium holds a new connection back, for up to five seconds. */
const PATIENCE_MS = 'document' in globalThis ? 6_000 : 1_000

export class Subject {
  readonly #inbox: Inbox<Game>
  readonly #told: string[] = []
  readonly #signals: string[] = []
  readonly #jumps: [number, number][] = []
  readonly #states: Record<string, number> = {}
  readonly #errors: Record<string, number> = {}
  readonly #counts: Report['counts'] = []
  #seq: number | undefined
  #forgotten = 0

  constructor({ baseUrl, token, random }: SubjectOptions) {
    const addressOf = (url: string) => {
      if (random() >= FORGETTING) return url
      this.#forgotten++
      return url.replace(/\?after=\d+$/, '')
    }
    const retry = { attempts: 3, minDelayMs: 10, maxDelayMs: 100 }
    this.#inbox = createClient<Game>({ baseUrl, token, retry, timeoutMs: 2_000 }).inbox.open({
      limit: Number.POSITIVE_INFINITY,
      backoff: { minDelayMs: 10, maxDelayMs: 200 },
      ping: { intervalMs: 200, timeoutMs: PATIENCE_MS },
      WebSocket: class extends WebSocket {
        constructor(url: string, protocols: string[]) {
          super(addressOf(url), protocols)
        }
      },
    })
    this.#inbox.on('notification', ({ id }) => this.#told.push(id))
    this.#inbox.on('signal', ({ id }) => this.#signals.push(id))
    this.#inbox.on('change', ({ seq, unread, total }) => {
      this.#counts.push([seq, unread, total])
      if (this.#seq !== undefined && seq > this.#seq + 1) this.#jumps.push([this.#seq, seq])
      this.#seq = seq
    })
    this.#inbox.on('state', ({ name }) => {
      this.#states[name] = (this.#states[name] ?? 0) + 1
    })
    this.#inbox.on('error', (error) => {
      const name = nameOf(error)
      this.#errors[name] = (this.#errors[name] ?? 0) + 1
    })
  }

  async ready(): Promise<void> {
    await this.#inbox.ready()
  }

  report(): Report {
    return {
      snapshot: this.#inbox.snapshot,
      told: this.#told,
      signals: this.#signals,
      jumps: this.#jumps,
      counts: this.#counts,
      forgotten: this.#forgotten,
      states: this.#states,
      errors: this.#errors,
    }
  }

  /** Makes a change from this device. The request may fail: its network is cut. */
  async change({ position, kind }: Change): Promise<boolean> {
    const notifications = this.#inbox.snapshot?.notifications ?? []
    const first = position % Math.max(1, notifications.length)
    const [id, ...more] = notifications.slice(first, first + 5).map((one) => one.id)
    if (id === undefined) return false
    return this.#request(kind, [id, ...more]).then(
      () => true,
      () => false,
    )
  }

  #request(kind: Change['kind'], [id, ...more]: [string, ...string[]]): Promise<void> {
    switch (kind) {
      case 'read':
        return this.#inbox.markRead({ notification_ids: [id] })
      case 'delete':
        return this.#inbox.delete({ id })
      case 'delete many':
        return this.#inbox.deleteMany({ notification_ids: [id, ...more] })
      case 'delete read':
        return this.#inbox.deleteRead()
      case 'delete all':
        return this.#inbox.deleteAll()
    }
  }

  close(): void {
    this.#inbox.close()
  }
}

function nameOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  return 'code' in error ? String(error.code) : 'name' in error ? String(error.name) : 'unknown'
}
