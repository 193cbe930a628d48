import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { afterEach, vi } from 'vitest'
import { AnnouncementPage, Announcement as Shape } from '../../src/features/announcements/schema.ts'
import { made } from './answer.ts'
import { overEvery } from './databases.ts'
import { meteredDatabase, meteredInboxes } from './meter.ts'
import { type Fetch, isolate } from './service.ts'
import { operator, type User } from './user.ts'

export const SCOPE = 'announcements:publish'
const HOUR = 60 * 60

/** The body of an announcement that ends in an hour. */
export const announcement = (different: Record<string, unknown> = {}) => ({
  type: 'studio.maintenance',
  data: { minutes: 30 },
  expires_at: Math.floor(Date.now() / 1_000) + HOUR,
  ...different,
})

/** An isolate with nothing known. */
export interface Isolate {
  service: Fetch
  /** Waits for what requests go on with after their answers. */
  settled: () => Promise<void>
  /** The trips to D1 and the calls to inboxes so far. */
  cost: { trips: number; calls: number }
}

/** An isolate with these variables and bindings. */
export function newIsolate(different: Parameters<typeof isolate>[0] = {}): Isolate {
  const open: ExecutionContext[] = []
  const cost = { trips: 0, calls: 0 }
  const metered = {
    ...overEvery((database) => meteredDatabase(database, () => cost.trips++)),
    INBOX: meteredInboxes(env.INBOX, () => cost.calls++),
  }
  const service = isolate({ ...metered, ...different }, () => {
    const context = createExecutionContext()
    open.push(context)
    return context
  })
  const settled = async () => {
    for (const context of open.splice(0)) await waitOnExecutionContext(context)
  }
  return { service, settled, cost }
}

/** A service of the studio's that announces. */
export const announcer = (service?: Fetch) => operator(SCOPE, service)

/** Announces. Fails unless it succeeds. */
export const announce = async (studio: User, different: Record<string, unknown> = {}) =>
  made(Shape, await studio.request('POST', '/announcements', { json: announcement(different) }), 201)

/** Ends an announcement. */
export const end = (studio: User, { id }: { id: string }) => studio.request('DELETE', `/announcements/${id}`)

/** Lists the announcements. Fails unless it succeeds. */
export const announcements = async (studio: User, query = '') =>
  made(AnnouncementPage, await studio.get(`/announcements${query}`), 200)

/**
 * Ends each test without announcements, which reach every user of every test, and with the time as it is. A test that has moved
 * the time leaves a version of the list that is ahead of it.
 */
export function startEachWithNone(): void {
  afterEach(async () => {
    vi.useRealTimers()
    await env.DB.batch([
      env.DB.prepare('DELETE FROM announcements'),
      env.DB.prepare('UPDATE announcement_list SET version = 0'),
    ])
  })
}

/** Moves the time of the isolates and the objects. */
export function later(seconds: number): void {
  const now = Date.now() + seconds * 1_000
  if (vi.isFakeTimers()) vi.setSystemTime(now)
  else vi.useFakeTimers({ toFake: ['Date'], now })
}
