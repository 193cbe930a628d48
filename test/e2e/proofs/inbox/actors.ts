import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ServiceError } from '#client'
import type { Studio } from '#client/studio'
import type { Game } from './game.ts'
import type { Change, Report } from './subject.ts'

/** What acts on one inbox while its network is cut. */
export interface Actors {
  user: string
  /** A service that publishes and announces; neither it nor the second device is cut. */
  social: Studio<Game>
  second: Client<Game>
  /** How many milliseconds pass between two publications on average. */
  pace_ms: number
  random: () => number
  signal: AbortSignal
}

/** The shortest life of a notification. */
const EXPIRES_IN = 60

/** Publishes to the user until the signal comes, in every way. Returns the ids of the signals. */
export async function publish({ user, social, pace_ms, random, signal }: Actors): Promise<string[]> {
  const signals: string[] = []
  for (let number = 1; !signal.aborted; number++) {
    const draw = random()
    const gift = { type: 'shop.gift', data: { gift_id: `gift ${number}`, number } } as const
    if (draw < 0.1) {
      const turn = { type: 'game.turn', data: { number } } as const
      const { id } = await social.notifications.publish({ user_id: user, ...turn, persistent: false })
      signals.push(id)
    } else if (draw < 0.2)
      await social.notifications.publish({ user_id: user, ...gift, expires_in: EXPIRES_IN })
    else if (draw < 0.4)
      await social.notifications.publishToMany({ user_ids: [user, `${user}-friend`], ...gift })
    else {
      const data = { from_user_id: number, from_display_name: 'Grace' }
      await social.notifications.publish({ user_id: user, type: 'friend_request', data })
    }
    await pause(random() * 2 * pace_ms)
  }
  return signals
}

/** Announces to all until the signal comes. Half of the announcements are ended, the others expire in seconds. Returns their number. */
export async function announce({ social, random, signal }: Actors): Promise<number> {
  let count = 0
  for (; !signal.aborted; count++) {
    const { id } = await social.announcements.publish({
      type: 'studio.maintenance',
      data: { minutes: count },
      expires_at: Math.floor(Date.now() / 1_000) + 2 + Math.floor(random() * 4),
    })
    await pause(500 + random() * 1_000)
    if (random() < 0.5) await social.announcements.delete({ id }).catch(expectGone)
  }
  return count
}

/** Marks as read and deletes on a second device, the newest ones above all, until the signal comes. */
export async function actOnSecondDevice({ second, random, signal }: Actors): Promise<void> {
  while (!signal.aborted) {
    const { notifications } = await second.inbox.list({ limit: 20 }).page()
    const some = notifications.filter(() => random() < 0.3).map(({ id }) => id)
    const [newest] = notifications
    const draw = random()
    if (draw < 0.1) await second.inbox.markRead()
    else if (draw < 0.4 && some.length > 0) await second.inbox.markRead({ notification_ids: some })
    else if (draw < 0.55) await second.inbox.deleteMany({ notification_ids: some })
    else if (draw < 0.65) await second.inbox.deleteMany({ state: 'read' })
    else if (draw < 0.68) await second.inbox.deleteMany({ all: true })
    else if (newest) await second.inbox.delete({ id: newest.id }).catch(expectGone)
    await pause(400 + random() * 600)
  }
}

/** The limit of notifications, their life, or the device that is cut, may have been faster. */
function expectGone(error: unknown): void {
  if (!(error instanceof ServiceError) || error.status !== 404) throw error
}

/** An inbox under test, wherever it runs. */
export interface Watched {
  report(): Promise<Report> | Report
  change(change: Change): Promise<boolean>
  close(): Promise<void> | void
}

/** Changes notifications from the device whose network is cut. Returns how many changes were made, and how many failed. */
export async function actOnDevice(watched: Watched, { random, signal }: Actors): Promise<[number, number]> {
  const counts: [number, number] = [0, 0]
  while (!signal.aborted) {
    const change = { position: Math.floor(random() * 20), kind: kindOf(random()) }
    counts[(await watched.change(change)) ? 0 : 1]++
    await pause(600 + random() * 600)
  }
  return counts
}

function kindOf(draw: number): Change['kind'] {
  if (draw < 0.4) return 'read'
  if (draw < 0.7) return 'delete'
  if (draw < 0.85) return 'delete many'
  return draw < 0.97 ? 'delete read' : 'delete all'
}
