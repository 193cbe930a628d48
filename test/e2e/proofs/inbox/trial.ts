import { expect } from 'vitest'
import { type Client, createClient, type Notification } from '#client'
import type { Studio } from '#client/studio'
import { developmentToken } from '../../../../scripts/development.ts'
import { seeded } from '../../../support/seeded.ts'
import { Tunnel } from '../tunnel.ts'
import { type Actors, actOnDevice, actOnSecondDevice, announce, publish, type Watched } from './actors.ts'
import { Cutter } from './cutter.ts'
import type { Game } from './game.ts'
import { Observer } from './observer.ts'
import { ShortTokens } from './short-tokens.ts'
import type { Report } from './subject.ts'

/** What opens the inbox under test: in this process, or in a page. */
export type Open = (options: {
  baseUrl: string
  tokens: ShortTokens
  random: () => number
}) => Promise<Watched>

export interface Trial {
  user: string
  /** The server's address. */
  origin: string
  social: Studio<Game>
  cuts: number
  /** How many milliseconds pass between two publications on average. */
  pace_ms: number
  seed: number
  /** Whether the device that is cut makes changes of its own, which its badge then shows before the service knows of them. */
  isActive: boolean
  /** Whether announcements to all users are made meanwhile. */
  isAnnounced: boolean
  /** How many more events the inbox misses at once than are kept for it; 0: none. */
  overflow?: number
  open: Open
}

/** How many events an inbox keeps for sockets that continue. */
const KEPT_EVENTS = 1_000

/** Cuts an inbox so often while much happens in it, and requires that it then is the service's. Returns what it met. */
export async function survive(trial: Trial): Promise<string> {
  const { user, origin, social, cuts, pace_ms, seed, isActive, isAnnounced, open } = trial
  const random = seeded(seed)
  const token = await developmentToken(user)
  const second = createClient<Game>({ baseUrl: origin, token })
  const observer = await Observer.open(origin, token)
  const tunnel = await Tunnel.to(origin)
  const tokens = new ShortTokens(user, seeded(seed + 1))
  const watched = await open({ baseUrl: tunnel.origin, tokens, random: seeded(seed + 2) })
  const over = new AbortController()
  const actors: Actors = { user, social, second, pace_ms, random: seeded(seed + 3), signal: over.signal }
  const acts = Promise.all([
    publish(actors),
    actOnSecondDevice(actors),
    isActive ? actOnDevice(watched, actors) : undefined,
    isAnnounced ? announce({ ...actors, random: seeded(seed + 4) }) : 0,
  ])
  const cutter = new Cutter(tunnel, random)
  const cutting = async () => {
    while (cutter.count < cuts) {
      await cutter.cut()
      const { states, errors } = await watched.report()
      expect(
        states.closed,
        `an inbox that is closed never comes back: ${JSON.stringify(errors)}`,
      ).toBeUndefined()
    }
    if (trial.overflow) await missMore(trial, tunnel, trial.overflow)
  }
  await Promise.race([cutting(), acts])
  over.abort()
  cutter.restore()
  const [signals, , [made, failed] = [0, 0], announced] = await acts
  const errors = await expectEqual(trial, watched, second, observer, signals)
  await watched.close()
  observer.close()
  await tunnel.close()
  return `${user}: ${cutter}; ${tokens.minted} tokens; own changes: ${made} made, ${failed} failed; ${announced} announcements; ${errors}`
}

/** Publishes more while the network is down than the inbox keeps for it. */
async function missMore({ user, social }: Trial, tunnel: Tunnel, overflow: number): Promise<void> {
  tunnel.takeDown()
  let left = KEPT_EVENTS + overflow
  const publishNext = async () => {
    while (left-- > 0) {
      const data = { from_user_id: left, from_display_name: 'Linus' }
      await social.notifications.publish({ user_id: user, type: 'friend_accepted', data })
    }
  }
  await Promise.all(Array.from({ length: 4 }, publishNext))
  tunnel.restore()
}

/** Requires that the inbox shows the service's list and badge, and that it told each notification once and in order. */
async function expectEqual(
  { isActive, overflow = 0 }: Trial,
  watched: Watched,
  second: Client<Game>,
  observer: Observer,
  sent: string[],
): Promise<string> {
  const { list, report } = await bothAtOneSeq(watched, second)
  const { told, signals, jumps, counts, forgotten, states, errors } = report
  const { seq } = list
  expect(report.snapshot).toEqual({ ...list, has_more: false })
  await expect.poll(() => observer.seq, { timeout: 30_000 }).toBeGreaterThanOrEqual(seq)
  expect(observer.fault).toBeUndefined()
  if (!isActive)
    for (const [seq, ...shown] of counts) expect(shown, `the counts at ${seq}`).toEqual(observer.counts[seq])
  // The list is read again only when the service says so.
  expect(jumps.length).toBeLessThanOrEqual(forgotten + (overflow > 0 ? 1 : 0))
  const [[first] = [0]] = counts // An announcement may be in the first list, of which nothing is told.
  const published = [...observer.lives]
    .filter(([, life]) => first < life.published && life.published <= seq)
    .map(([id]) => id)
  expectInOrder(told, published)
  // A device that is away misses signals.
  expectInOrder(signals, sent)
  const wasTold = new Set(told)
  const untold = published.filter((id) => !wasTold.has(id))
  // What was published and deleted between two lists is in neither.
  const isOver = ({ published, deleted }: { published: number; deleted: number }) =>
    jumps.some(([from, to]) => from < published && deleted <= to)
  const missed = untold.filter((id) => {
    const life = observer.lives.get(id)
    return !life || !isOver(life)
  })
  expect(missed, 'never told').toEqual([])
  return `${seq} events, ${told.length} told, ${signals.length} of ${sent.length} signals, ${untold.length} published and deleted between the ${jumps.length} times that the list was read again; ${JSON.stringify({ ...states, ...errors })}`
}

/** Requires that a device was told some of what there was to tell, each once and in order. */
function expectInOrder(told: string[], all: string[]): void {
  const wasTold = new Set(told)
  expect(told, 'told twice, or not in order').toEqual(all.filter((id) => wasTold.has(id)))
}

interface List {
  notifications: Notification<Game>[]
  seq: number
  unread: number
  total: number
}

/** The service's list, and what the inbox shows at the same seq. Notifications that go by their own time may change both. */
async function bothAtOneSeq(watched: Watched, second: Client<Game>): Promise<{ list: List; report: Report }> {
  for (;;) {
    const list = await listOf(second)
    if (!list) continue
    const report = await reportFrom(watched, list.seq)
    if (report.snapshot?.seq === list.seq) return { list, report }
  }
}

/** What the inbox shows once it has come to a seq. A device that has made too many requests waits for a minute. */
async function reportFrom(watched: Watched, seq: number): Promise<Report> {
  let report = await watched.report()
  const isReached = async () => {
    report = await watched.report()
    return (report.snapshot?.seq ?? 0) >= seq
  }
  await expect
    .poll(isReached, { timeout: 90_000 })
    .toBe(true)
    .catch((error) => {
      const { states, errors } = report
      throw new Error(`It did not come to ${seq}: ${JSON.stringify({ ...states, ...errors })}`, {
        cause: error,
      })
    })
  return report
}

/** The whole list; undefined when it has changed while it was read. */
async function listOf(client: Client<Game>): Promise<List | undefined> {
  const list: List = { notifications: [], seq: 0, unread: 0, total: 0 }
  const seqs = new Set<number>()
  for await (const { notifications, ...counts } of client.inbox.list({ limit: 100 }).pages()) {
    list.notifications.push(...notifications)
    Object.assign(list, counts)
    seqs.add(counts.seq)
  }
  return seqs.size === 1 ? list : undefined
}
