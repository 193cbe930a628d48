import { expect } from 'vitest'
import { type Client, createClient, type Notification } from '#client'
import { developmentToken } from '../../../../scripts/development.ts'
import { seeded } from '../../../support/seeded.ts'
import { Tunnel } from '../tunnel.ts'
import { type Actors, actOnDevice, actOnSecondDevice, publish, type Watched } from './actors.ts'
import { Cutter } from './cutter.ts'
import { Observer } from './observer.ts'
import { ShortTokens } from './short-tokens.ts'

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
  social: Client
  cuts: number
  /** How many milliseconds pass between two publications on average. */
  pace_ms: number
  seed: number
  /** Whether the device that is cut makes changes of its own, which its badge then shows before the service knows of them. */
  isActive: boolean
  /** How many more events the inbox misses at once than are kept for it; 0: none. */
  overflow?: number
  open: Open
}

/** How many events an inbox keeps for sockets that continue. */
const KEPT_EVENTS = 1_000

/** Cuts an inbox so often while much happens in it, and requires that it then is the service's. Returns what it met. */
export async function survive(trial: Trial): Promise<string> {
  const { user, origin, social, cuts, pace_ms, seed, isActive, open } = trial
  const random = seeded(seed)
  const token = await developmentToken(user)
  const second = createClient({ baseUrl: origin, token })
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
  const [, , [made, failed] = [0, 0]] = await acts
  const errors = await expectEqual(trial, watched, second, observer)
  await watched.close()
  observer.close()
  await tunnel.close()
  return `${user}: ${cutter}; ${tokens.minted} tokens; own changes: ${made} made, ${failed} failed; ${errors}`
}

/** Publishes more while the network is down than the inbox keeps for it. */
async function missMore({ user, social }: Trial, tunnel: Tunnel, overflow: number): Promise<void> {
  tunnel.takeDown()
  let left = KEPT_EVENTS + overflow
  const publishNext = async () => {
    while (left-- > 0) {
      const data = { from_user_id: left, from_display_name: 'Linus' }
      await social.publishNotification({ user_id: user, type: 'friend_accepted', data })
    }
  }
  await Promise.all(Array.from({ length: 4 }, publishNext))
  tunnel.restore()
}

/** Requires that the inbox shows the service's list and badge, and that it told each notification once and in order. */
async function expectEqual(
  { isActive, overflow = 0 }: Trial,
  watched: Watched,
  second: Client,
  observer: Observer,
): Promise<string> {
  const { seq, unread, total } = await second.listNotifications().page()
  const notifications: Notification[] = []
  for await (const notification of second.listNotifications({ limit: 100 })) notifications.push(notification)
  const isReached = async () => (await watched.report()).snapshot?.seq === seq
  // A device that has made too many requests waits for a minute.
  await expect
    .poll(isReached, { timeout: 90_000 })
    .toBe(true)
    .catch(async (error) => {
      const { states, errors } = await watched.report()
      throw new Error(`It did not come to ${seq}: ${JSON.stringify({ ...states, ...errors })}`, {
        cause: error,
      })
    })
  const { snapshot } = await watched.report()
  expect(snapshot).toEqual({ seq, unread, total, has_more: false, notifications })
  await expect.poll(() => observer.seq, { timeout: 30_000 }).toBe(seq)
  expect(observer.fault).toBeUndefined()
  const { told, jumps, counts, forgotten, states, errors } = await watched.report()
  if (!isActive)
    for (const [seq, ...shown] of counts) expect(shown, `the counts at ${seq}`).toEqual(observer.counts[seq])
  // The list is read again only when the service says so.
  expect(jumps.length).toBeLessThanOrEqual(forgotten + (overflow > 0 ? 1 : 0))
  const published = [...observer.lives.keys()]
  const wasTold = new Set(told)
  expect(told, 'told twice, or not in order').toEqual(published.filter((id) => wasTold.has(id)))
  const untold = published.filter((id) => !wasTold.has(id))
  // What was published and deleted between two lists is in neither.
  const isOver = ({ published, deleted }: { published: number; deleted: number }) =>
    jumps.some(([from, to]) => from < published && deleted <= to)
  const missed = untold.filter((id) => {
    const life = observer.lives.get(id)
    return !life || !isOver(life)
  })
  expect(missed, 'never told').toEqual([])
  return `${seq} events, ${told.length} told, ${untold.length} published and deleted between the ${jumps.length} times that the list was read again; ${JSON.stringify({ ...states, ...errors })}`
}
