import { refuseDisagreement } from './agree.ts'
import { type Fetched, keptAlive, type Listener, listen } from './inbox-clients.ts'
import { inTurns, type Load, type Measured, measure, median } from './load.ts'
import { runtimeCpuMs } from './processor.ts'
import type { Runtime } from './serve.ts'
import { tokenOf } from './token.ts'

type Side = 'service' | 'floor'

/** A measured path of the inbox. The ratio of times is inverted, so that a greater ratio is always better. */
export interface InboxLine extends Measured {
  title: string
  unit: 'requests/s' | 'deliveries/s' | 'ms'
}

/** How many users the requests of a path alternate between. */
const USERS = 16
const SOCKETS = 32
const LISTED = 1_000
const MISSED = 100
/** How many publications are timed in each round. */
const TIMED = 100
const FAN_OUT = 100
/** How many publications are under way at once. */
const AT_ONCE = 10

export const publication = (user_id: string) => ({
  user_id,
  type: 'friend_request',
  data: { from_user_id: 7, from_display_name: 'Grace' },
})

/** Measures the inbox against a bare object (`bare-inbox.ts`), in `rounds` rounds. */
export async function measureInbox(
  runtime: Runtime,
  { rounds, seconds, only }: { rounds: number; seconds: number; only: string },
  onLine: (title: string) => void,
): Promise<InboxLine[]> {
  const origins = { service: await runtime.addressOf('service'), floor: await runtime.addressOf('floor') }
  const publisher = await tokenOf('bench-publisher', 'notifications:publish')
  const publish = (side: Side, user_id: string, requests = keptAlive) =>
    requests(origins[side], publisher, 'POST', '/v1/notifications', publication(user_id))
  const both: Side[] = ['service', 'floor']
  const lines: InboxLine[] = []

  await agree()
  for (const [title, work] of Object.entries(paths())) {
    if (!title.includes(only)) continue
    lines.push({ title, ...(await work()) })
    onLine(title)
  }
  return lines

  function paths(): Record<string, () => Promise<Omit<InboxLine, 'title'>>> {
    return {
      'inbox: publish, no socket': () => loaded(USERS, 0),
      'inbox: publish, one socket': () => loaded(USERS, 1),
      [`inbox: publish, ${SOCKETS} sockets`]: () => loaded(2, SOCKETS),
      'inbox: publish to received, one socket': received,
      [`inbox: fan-out to ${FAN_OUT} users`]: fanOut,
      [`inbox: list 50 of ${LISTED} notifications`]: () => read('/v1/notifications'),
      'inbox: count the unread': () => read('/v1/notifications/unread-count'),
      'inbox: publish, then read all': readAll,
      [`inbox: reconnect, ${MISSED} events missed`]: reconnect,
    }
  }

  /** Publications over HTTP, to users with `sockets` sockets each. */
  async function loaded(count: number, sockets: number): Promise<Omit<InboxLine, 'title'>> {
    const users = named(count)
    const listeners: Listener[] = []
    for (const side of both)
      for (const user of users)
        for (let i = 0; i < sockets; i++) listeners.push(await listen(origins[side], await tokenOf(user)))
    const path = { method: 'POST' as const, path: '/v1/notifications', bodies: users.map(publication) }
    const target = { ...origins, headers: headersOf(publisher) }
    const measured = await measure({ ...path, isNamedAnew: false }, target, rounds, seconds, () => {})
    for (const listener of listeners) listener.close()
    return { unit: 'requests/s', ...measured }
  }

  async function read(path: string): Promise<Omit<InboxLine, 'title'>> {
    const [user = ''] = named(1)
    for (const side of both) await severalAtOnce(LISTED, () => publish(side, user))
    const target = { ...origins, headers: headersOf(await tokenOf(user)) }
    const request = { method: 'GET' as const, path, bodies: [], isNamedAnew: false }
    return { unit: 'requests/s', ...(await measure(request, target, rounds, seconds, () => {})) }
  }

  /** One publication after another, each timed from its request until the socket receives its event. */
  async function received(): Promise<Omit<InboxLine, 'title'>> {
    const [user = ''] = named(1)
    const token = await tokenOf(user)
    const listeners = {
      service: await listen(origins.service, token),
      floor: await listen(origins.floor, token),
    }
    const measured = await inRounds(async (side) => {
      const took: number[] = []
      for (let i = 0; i < TIMED; i++) {
        const began = performance.now()
        const event = listeners[side].next()
        const answer = publish(side, user)
        await event
        took.push(performance.now() - began)
        await answer
      }
      return { figure: median(took), requests: TIMED }
    })
    for (const side of both) listeners[side].close()
    return { unit: 'ms', ...inverted(measured) }
  }

  /** A publication to each of many users with a socket, some at once: received events a second. */
  async function fanOut(): Promise<Omit<InboxLine, 'title'>> {
    const users = named(FAN_OUT)
    const listeners: Record<Side, Listener[]> = { service: [], floor: [] }
    for (const side of both)
      for (const user of users) listeners[side].push(await listen(origins[side], await tokenOf(user)))
    const measured = await inRounds(async (side) => {
      const began = performance.now()
      const events = listeners[side].map((listener) => listener.next())
      await severalAtOnce(FAN_OUT, (i) => publish(side, users[i] ?? ''))
      await Promise.all(events)
      return { figure: (FAN_OUT * 1_000) / (performance.now() - began), requests: FAN_OUT }
    })
    for (const side of both) for (const listener of listeners[side]) listener.close()
    return { unit: 'deliveries/s', ...measured }
  }

  /** A publication, and then a request that marks all as read. */
  async function readAll(): Promise<Omit<InboxLine, 'title'>> {
    const [user = ''] = named(1)
    const token = await tokenOf(user)
    const measured = await inRounds(async (side) => {
      const began = performance.now()
      for (let i = 0; i < TIMED; i++) {
        await publish(side, user)
        await keptAlive(origins[side], token, 'POST', '/v1/notifications/read')
      }
      return { figure: (TIMED * 2_000) / (performance.now() - began), requests: TIMED * 2 }
    })
    return { unit: 'requests/s', ...measured }
  }

  /** A socket that has missed events, timed from its opening until the last of them. */
  async function reconnect(): Promise<Omit<InboxLine, 'title'>> {
    const [user = ''] = named(1)
    const token = await tokenOf(user)
    for (const side of both) for (let i = 0; i < MISSED + 1; i++) await publish(side, user)
    const measured = await inRounds(async (side) => {
      const took: number[] = []
      for (let i = 0; i < TIMED / 10; i++) {
        const began = performance.now()
        const listener = await listen(origins[side], token, 1)
        for (let event = 0; event < MISSED; event++) await listener.next()
        took.push(performance.now() - began)
        listener.close()
      }
      return { figure: median(took), requests: TIMED / 10 }
    })
    return { unit: 'ms', ...inverted(measured) }
  }

  /** Measures both sides in turn, after a warm-up round. `figure`: the rate or time of a round. */
  async function inRounds(
    round: (side: Side) => Promise<{ figure: number; requests: number }>,
  ): Promise<Measured> {
    const once = async (side: Side): Promise<Load> => {
      const before = runtimeCpuMs()
      const { figure, requests } = await round(side)
      const after = runtimeCpuMs()
      const cpuMs = before === undefined || after === undefined ? undefined : (after - before) / requests
      return { figure, cpuMs }
    }
    await once('service')
    await once('floor')
    return inTurns(rounds, once)
  }

  /** Requires that both sides give the same answers. */
  async function agree(): Promise<void> {
    const [user = ''] = named(1)
    const token = await tokenOf(user)
    const requests: [string, (side: Side) => Promise<Fetched>][] = [
      ['publish', (side) => publish(side, user)],
      ['publish again', (side) => publish(side, user)],
      ['list', (side) => keptAlive(origins[side], token, 'GET', '/v1/notifications')],
      ['count', (side) => keptAlive(origins[side], token, 'GET', '/v1/notifications/unread-count')],
      ['read all', (side) => keptAlive(origins[side], token, 'POST', '/v1/notifications/read')],
      ['count again', (side) => keptAlive(origins[side], token, 'GET', '/v1/notifications/unread-count')],
    ]
    for (const [title, request] of requests)
      refuseDisagreement(title, (await request('service')).body, (await request('floor')).body)
    const heard = async (side: Side) => {
      const listener = await listen(origins[side], token, 0)
      const events = [await listener.next(), await listener.next()]
      listener.close()
      return JSON.stringify(events)
    }
    refuseDisagreement('replay', await heard('service'), await heard('floor'))
  }
}

/** The ids of new users. */
function named(count: number): string[] {
  return Array.from({ length: count }, () => `bench-${crypto.randomUUID()}`)
}

function headersOf(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
}

/** Inverts the ratios of times, of which less is better. */
function inverted({ byRate, ...measured }: Measured): Measured {
  const { median, least, greatest } = byRate
  return { ...measured, byRate: { median: 1 / median, least: 1 / greatest, greatest: 1 / least } }
}

/** Calls `act` `count` times, some at once. */
async function severalAtOnce(count: number, act: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await act(i)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
