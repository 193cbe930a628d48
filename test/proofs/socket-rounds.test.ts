import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import type { z } from '@hono/zod-openapi'
import { expect, inject, it } from 'vitest'
import type { InboxEvent } from '../../src/features/notifications/messages.ts'
import { publishNotification } from '../../src/features/notifications/publish.ts'
import { NotificationPage } from '../../src/features/notifications/schema.ts'
import { made } from '../support/answer.ts'
import { contextOf } from '../support/context.ts'
import { Device, inboxOf } from '../support/device.ts'
import { race } from '../support/race.ts'
import { seeded } from '../support/seeded.ts'
import { signUp, type User } from '../support/user.ts'

const { seed, amount } = inject('proof')
const ROUNDS = amount || 60
/** After as many rounds one is away again, for so long that what it missed is no longer kept. */
const CYCLE = amount ? 120 : 60
/** More than an inbox keeps events. */
const MISSED = 1_100
/** As many notifications as the inbox holds here, so that the list is one page. */
const MOST = 40

/** What every device has been told so far, by seq: all are told the same. */
type Told = Map<number, InboxEvent>

/** A client that follows its user's inbox as docs/notifications.md tells clients to. */
class Client {
  notifications: z.output<typeof NotificationPage>['notifications'] = []
  /** The seq at which the list is true. */
  seq = 0
  /** How often it had missed too much, and listed again. */
  relisted = 0
  readonly #user: User
  readonly #told: Told
  #device: Device | undefined
  #applied = 0

  constructor(user: User, told: Told) {
    this.#user = user
    this.#told = told
  }

  get isOn(): boolean {
    return this.#device !== undefined
  }

  /** Switches on: lists, if it begins anew, connects where it stands, and lists again only when told to. */
  async connect(isAnew: boolean): Promise<undefined> {
    if (isAnew) await this.list()
    const device = await Device.of(this.#user, { after: this.seq })
    const { ready } = device
    if (ready.data.recovered) {
      expect(ready.seq).toBe(this.seq)
      expect(ready.unread, `unread at ${ready.seq}`).toBe(this.unread)
    } else {
      expect(ready.seq, 'what it missed is no longer kept').toBeGreaterThan(this.seq + 1_000)
      await this.list()
      expect(this.seq).toBeGreaterThanOrEqual(ready.seq)
      this.relisted++
    }
    this.#device = device
    this.#applied = 0
    return undefined
  }

  async list(): Promise<void> {
    const answer = await this.#user.get('/notifications?limit=100')
    const { notifications, total, unread } = made(NotificationPage, answer, 200)
    this.notifications = notifications
    this.seq = Number(answer.headers.get('X-Inbox-Seq'))
    expect(notifications).toHaveLength(total)
    expect(this.unread).toBe(unread)
  }

  get unread(): number {
    return this.notifications.filter(({ state }) => state === 'unread').length
  }

  /** Applies what has come in the meantime. */
  catchUp(): void {
    const events = this.#device?.events ?? []
    for (; this.#applied < events.length; this.#applied++) {
      const event = events[this.#applied]
      if (!event) return
      const known = this.#told.get(event.seq)
      if (known) expect(event, 'every device is told the same').toEqual(known)
      this.#told.set(event.seq, event)
      const before = events[this.#applied - 1]?.seq ?? this.#device?.ready.seq ?? 0
      expect(event.seq, 'in order, none twice, none left out').toBe(before + 1)
      if (event.seq > this.seq) this.#apply(event)
    }
  }

  #apply(event: InboxEvent): void {
    expect(event.seq).toBe(this.seq + 1)
    this.seq = event.seq
    const held = new Map(this.notifications.map((notification) => [notification.id, notification]))
    if (event.type === 'notification') {
      expect(held.has(event.data.id)).toBe(false)
      this.notifications.unshift({ ...event.data })
    } else if (event.type === 'notification_deleted') {
      expect(held.has(event.data.notification_id)).toBe(true)
      this.notifications = this.notifications.filter(({ id }) => id !== event.data.notification_id)
    } else {
      for (const id of event.data.notification_ids ?? held.keys()) {
        const notification = held.get(id)
        if (!notification) throw new Error(`${id} is not there to be read`)
        if (event.data.notification_ids) expect(notification.state).toBe('unread')
        notification.state = 'read'
      }
    }
    expect(event.unread, `unread at ${event.seq}`).toBe(this.unread)
  }

  /** Waits for what has been sent, and applies it. */
  async settle(): Promise<void> {
    if (!this.#device) return
    await this.#device.settled()
    this.catchUp()
  }

  /** Goes off: politely, or from one moment to the next, with what it has heard by then. */
  async disconnect(how: 'leaves' | 'is cut off'): Promise<undefined> {
    if (how === 'leaves') await this.#device?.leave()
    else this.#device?.cut()
    this.catchUp()
    this.#device = undefined
    return undefined
  }

  /** Finds its socket gone. */
  async loseSocket(): Promise<void> {
    await this.#device?.closed
    await this.disconnect('is cut off')
  }
}

it(`every device agrees with the inbox through ${ROUNDS} rounds of changes, cuts and evictions`, async () => {
  const random = seeded(seed)
  const below = (end: number) => Math.floor(random() * end)
  const [ada, bob] = [await signUp('ada'), await signUp('bob')]
  const stranger = await Device.of(bob)
  const told: Told = new Map()
  const clients = Array.from({ length: 4 }, () => new Client(ada, told))
  /** One that is away for so long that what it missed is no longer kept. */
  const sleeper = new Client(ada, told)
  const everybody = [...clients, sleeper]
  for (const client of everybody) await client.connect(true)

  const anyId = () => {
    const { notifications } = clients[below(clients.length)] ?? sleeper
    return notifications[below(notifications.length)]?.id ?? 'none yet'
  }
  const publish = async (from_user_id: number) => {
    const data = { from_user_id, from_display_name: 'Bob' }
    const work = contextOf(ada.id, {}, { MAX_NOTIFICATIONS: MOST })
    await publishNotification(work, { user_id: ada.id, type: 'friend_request', data })
  }
  /** All but the one that is away hear of it. */
  const publishMany = async () => {
    for (const client of clients) if (!client.isOn) await client.connect(false)
    for (let done = 0; done < MISSED; done += 100)
      await Promise.all(Array.from({ length: 100 }, (_, at) => publish(at)))
    // Whoever is cut off before it has heard of them would miss as much.
    for (const client of clients) await client.settle()
  }
  const read = async (notification_ids: string[]) => {
    const answer = await ada.request('POST', '/notifications/read', { json: { notification_ids } })
    expect(answer.status, answer.text).toBe(200)
  }
  const remove = async (id: string) => {
    const answer = await ada.request('DELETE', `/notifications/${id}`)
    expect([204, 404]).toContain(answer.status)
  }
  const change = (): (() => Promise<void>) => {
    const dice = random()
    const ids = [anyId(), anyId(), anyId()]
    const from_user_id = below(1_000)
    if (dice < 0.55) return () => publish(from_user_id)
    if (dice < 0.75) return () => read(ids)
    if (dice < 0.8) return () => read([])
    return () => remove(ids[0] ?? '')
  }
  const evict = () =>
    evictDurableObject(inboxOf(ada)).catch((error: unknown) => {
      if (!String(error).includes('not currently running')) throw error
    })
  const kill = () =>
    runInDurableObject(inboxOf(ada), (_, ctx) => ctx.abort('killed')).catch((error: unknown) => {
      if (!String(error).includes('killed')) throw error
    })

  let [evictions, kills] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    if (round % CYCLE === CYCLE * 0.75) await publishMany()
    const contenders: (() => Promise<unknown>)[] = Array.from({ length: 1 + below(4) }, change)
    for (const client of clients) {
      if (client.isOn && random() < 0.2) {
        const how = random() < 0.5 ? 'leaves' : 'is cut off'
        contenders.push(() => client.disconnect(how))
      } else if (!client.isOn && random() < 0.5) contenders.push(() => client.connect(random() < 0.1))
    }
    if (random() < 0.1) {
      evictions++
      contenders.push(evict)
    }
    if (round % CYCLE === 10) await sleeper.disconnect('leaves')
    if (round % CYCLE === CYCLE - 10) contenders.push(() => sleeper.connect(false))

    const outcomes = await race(seed + round, contenders)
    expect(outcomes.filter(({ code }) => code)).toEqual([])
    for (const client of everybody) await client.settle()
    if (random() < 0.03) {
      kills++
      await kill()
      for (const client of everybody) await client.loseSocket()
    }
  }

  for (const client of everybody) if (!client.isOn) await client.connect(false)
  const inbox = new Client(ada, told)
  await inbox.list()
  for (const client of everybody) {
    await client.settle()
    expect(client.seq).toBe(inbox.seq)
    expect(client.notifications).toEqual(inbox.notifications)
  }
  expect([...told.keys()].sort((one, other) => one - other)).toEqual(
    Array.from({ length: inbox.seq }, (_, index) => index + 1),
  )
  expect(inbox.seq).toBeGreaterThan(2 * ROUNDS)
  expect(sleeper.relisted).toBeGreaterThan(0)
  console.log(`sockets: ${ROUNDS} rounds, ${evictions} evictions, ${kills} kills, seed ${seed}`)
  expect(Math.min(evictions, kills)).toBeGreaterThan(0)
  expect(clients.map(({ relisted }) => relisted)).toEqual([0, 0, 0, 0])
  expect((await stranger.settled()).events).toEqual([])
})
