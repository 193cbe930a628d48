import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ServiceError } from '#client'
import type { Report } from './subject.ts'

/** What acts on one inbox while its network is cut. */
export interface Actors {
  user: string
  /** A service that publishes; neither it nor the second device is cut. */
  social: Client
  second: Client
  /** How many milliseconds pass between two publications on average. */
  pace_ms: number
  random: () => number
  signal: AbortSignal
}

/** Publishes to the user until the signal comes. */
export async function publish({ user, social, pace_ms, random, signal }: Actors): Promise<void> {
  for (let number = 1; !signal.aborted; number++) {
    const data = { from_user_id: number, from_display_name: 'Grace' }
    await social.publishNotification({ user_id: user, type: 'friend_request', data })
    await pause(random() * 2 * pace_ms)
  }
}

/** Marks as read and deletes on a second device, the newest ones above all, until the signal comes. */
export async function actOnSecondDevice({ second, random, signal }: Actors): Promise<void> {
  while (!signal.aborted) {
    const { notifications } = await second.listNotifications({ limit: 20 }).page()
    const some = notifications.filter(() => random() < 0.3).map(({ id }) => id)
    const [newest] = notifications
    const draw = random()
    if (draw < 0.1) await second.markNotificationsRead()
    else if (draw < 0.5 && some.length > 0) await second.markNotificationsRead({ notification_ids: some })
    else if (newest) await second.deleteNotification({ id: newest.id }).catch(expectGone)
    await pause(400 + random() * 600)
  }
}

/** The limit of notifications, or the device that is cut, may have been faster. */
function expectGone(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'NOTIFICATION_NOT_FOUND') throw error
}

/** An inbox under test, wherever it runs. */
export interface Watched {
  report(): Promise<Report> | Report
  change(change: { position: number; isDeletion: boolean }): Promise<boolean>
  close(): Promise<void> | void
}

/** Changes notifications from the device whose network is cut. Returns how many changes were made, and how many failed. */
export async function actOnDevice(watched: Watched, { random, signal }: Actors): Promise<[number, number]> {
  const counts: [number, number] = [0, 0]
  while (!signal.aborted) {
    const change = { position: Math.floor(random() * 20), isDeletion: random() < 0.5 }
    counts[(await watched.change(change)) ? 0 : 1]++
    await pause(600 + random() * 600)
  }
  return counts
}
