import { env, runInDurableObject } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { deleteAnnouncement, publishAnnouncement } from '../../src/features/announcements/publish.ts'
import {
  deleteNotification,
  deleteNotifications,
  markRead,
} from '../../src/features/notifications/call-inbox.ts'
import type { InboxEvent } from '../../src/features/notifications/messages.ts'
import { readInbox } from '../../src/features/notifications/read-inbox.ts'
import type { Notification } from '../../src/features/notifications/schema.ts'
import type { InboxContext, RequestContext } from '../../src/platform/context.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { inboxOf, publishTo } from '../support/device.ts'
import { newUserId } from '../support/ids.ts'
import { eventsSince, expectAgreed, Replica, ring, type Stub } from '../support/inbox.ts'
import { chances, race } from '../support/race.ts'
import { seeded } from '../support/seeded.ts'

const STEPS = 12

/** An announcement of the first database. */
interface Row {
  id: string
  data: string
}

/** A service of the studio's, a user and their inbox, over two isolates that learn at different times. */
class Story {
  readonly id = newUserId()
  readonly #random: () => number
  readonly #isolates: RequestContext[]
  readonly #after: Promise<unknown>[] = []
  #announced = 0
  #erasures = 0
  #replica = new Replica()
  /** The announcements that came since the last erasure. */
  #seen = new Set<number>()
  /** Those that the user has deleted since, or that made room. */
  #gone = new Set<number>()

  constructor(seed: number) {
    this.#random = seeded(seed)
    const MAX_NOTIFICATIONS = seed % 2 === 0 ? 6 : 10_000
    this.#isolates = [0, 1].map(() => contextOf(this.id, {}, { MAX_NOTIFICATIONS, MAX_ANNOUNCEMENTS: 5 }))
  }

  /** Gives the inbox its tables. */
  begin(): Promise<unknown> {
    return publishTo(this, 'Bob', { ctx: this.#ctx() })
  }

  /** Some commands at once. */
  async step(seed: number): Promise<void> {
    const commands = Array.from({ length: 2 + this.#below(3) }, () => this.#command())
    const isErased = commands.some(({ name }) => name === 'erase')
    await race(
      seed,
      commands.map(({ run }) => run),
    )
    await this.#settled()
    await this.#check(isErased)
    vi.setSystemTime(Date.now() + this.#below(40_000))
  }

  /** Two looks through each isolate, with time to learn between them: then the inbox has what is in force, and nothing else. */
  async quiet(): Promise<void> {
    vi.setSystemTime(Date.now() + 31_000)
    for (const isolate of [0, 1, 0, 1]) {
      await this.#look(isolate)
      await this.#settled()
    }
    await ring(inboxOf(this))
    await this.#check(false)
    const present = new Set((await this.#rows()).flatMap(numberIn))
    const inForce = (await this.#inForce()).map(({ data }) => Number(JSON.parse(data).number))
    for (const number of present) expect(inForce, 'nothing that has ended stays').toContain(number)
    for (const number of inForce) {
      expect([...this.#seen], 'each that is in force has come').toContain(number)
      if (!this.#gone.has(number)) expect([...present], 'and is there').toContain(number)
    }
  }

  #command(): { name: string; run: () => Promise<unknown> } {
    const commands = {
      announce: () => this.#announce(),
      end: () => this.#end(),
      look: () => this.#look(),
      'look again': () => this.#look(),
      publish: () => publishTo(this, 'Bob', { ctx: this.#ctx() }),
      'read all': () => markRead(this.#ctx()),
      'read some': async () => markRead(this.#ctx(), await this.#some()),
      delete: async () => deleteNotification(this.#ctx(), (await this.#some())[0] ?? 'x'),
      'delete some': async () => deleteNotifications(this.#ctx(), { notification_ids: await this.#some() }),
      'delete read': () => deleteNotifications(this.#ctx(), 'read'),
      'delete all': () => deleteNotifications(this.#ctx(), 'all'),
      ring: () => ring(inboxOf(this)),
      erase: () => inboxOf(this).erase(String(++this.#erasures).padStart(9, '0')),
    }
    // Most commands are those that meet.
    const names: (keyof typeof commands)[] = ['announce', 'end', 'look', ...keysOf(commands)]
    const name = names[this.#below(names.length)] ?? 'look'
    return { name, run: commands[name] }
  }

  async #announce() {
    const data = { number: ++this.#announced }
    const expires_at = Math.floor(Date.now() / 1_000) + 20 + this.#below(400)
    return publishAnnouncement(this.#ctx(), { type: 'studio.news', data, expires_at })
  }

  async #end() {
    const rows = await this.#inForce()
    await deleteAnnouncement(this.#ctx(), rows[this.#below(rows.length)]?.id ?? 'x')
  }

  #look(isolate = this.#below(2)) {
    return readInbox(this.#ctx(isolate), async (inbox, told) => inbox.list({ limit: 100, offset: 0 }, told))
  }

  #ctx(isolate = this.#below(2)): RequestContext & InboxContext {
    const base = this.#isolates[isolate]
    if (!base) throw new Error('there are two')
    const ctx = { ...base, databases: databasesOver(), now_ms: Date.now() }
    return { ...ctx, afterwards: (work) => void this.#after.push(work(ctx)) }
  }

  async #settled() {
    while (this.#after.length > 0) await Promise.all(this.#after.splice(0))
  }

  /** Applies the new events to a device: no gap, each announcement once, and counts that agree. */
  async #check(isErased: boolean): Promise<void> {
    if (isErased) {
      this.#replica = new Replica()
      this.#replica.seq = await baseOf(inboxOf(this))
      this.#seen = new Set()
      this.#gone = new Set()
    }
    const numbers = new Map((await this.#rows()).map((row) => [row.id, numberIn(row)[0]]))
    for (const event of (await eventsSince(inboxOf(this), this.#replica.seq)) ?? [])
      for (const number of addedBy(event)) {
        expect([...this.#seen], 'each announcement comes once').not.toContain(number)
        this.#seen.add(number)
      }
    await expectAgreed(inboxOf(this), this.#replica)
    for (const number of this.#seen) {
      const isPresent = [...this.#replica.states.keys()].some((id) => numbers.get(id) === number)
      if (!isPresent) this.#gone.add(number)
    }
  }

  async #rows(): Promise<Notification[]> {
    return (await inboxOf(this).list({ limit: 100, offset: 0 })).notifications
  }

  /** The ids of some notifications. */
  async #some(): Promise<string[]> {
    return (await this.#rows()).filter(() => this.#random() < 0.5).map(({ id }) => id)
  }

  async #inForce(): Promise<Row[]> {
    const { results } = await env.DB.prepare(
      'SELECT id, data FROM announcements WHERE expires_at > ? ORDER BY number',
    )
      .bind(Math.floor(Date.now() / 1_000))
      .all<Row>()
    return results
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }
}

const keysOf = <Names extends object>(names: Names) => Object.keys(names) as (keyof Names)[]

/** The seq after the last erasure. */
const baseOf = (inbox: Stub) =>
  runInDurableObject(inbox, (_, { storage }) =>
    storage.sql.exec<{ base_seq: number }>('SELECT base_seq FROM counters').one(),
  ).then(({ base_seq }) => base_seq)

/** The number of a notification that is an announcement. */
function numberIn({ type, data }: Pick<Notification, 'type' | 'data'>): number[] {
  return type === 'studio.news' && 'number' in data ? [Number(data.number)] : []
}

function addedBy(event: InboxEvent): number[] {
  return event.type === 'notification' ? numberIn(event.data) : []
}

it('each announcement comes once and goes, with exact counts and no gap, whatever its user and the studio do at once', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await chances(async ({ seed }) => {
      await env.DB.prepare('DELETE FROM announcements').run()
      const story = new Story(seed)
      await story.begin()
      for (let step = 0; step < STEPS; step++) {
        await story.step(seed * STEPS + step)
        if (step % 4 === 3) await story.quiet()
      }
    })
  } finally {
    vi.useRealTimers()
  }
})
