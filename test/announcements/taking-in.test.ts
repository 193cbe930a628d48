import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { announce, announcer, end, later, newIsolate, startEachWithNone } from '../support/announcements.ts'
import { now as aPointInTime } from '../support/back-in-time.ts'
import { Device, inboxOf, publishTo } from '../support/device.ts'
import { tokenFor } from '../support/identities.ts'
import { countOf, ring } from '../support/inbox.ts'
import { overridden } from '../support/meter.ts'
import { inbox } from '../support/notifications.ts'
import { withSessions } from '../support/outgoing.ts'
import { signUp, User } from '../support/user.ts'

const DAY = 24 * 60 * 60
const now = () => Math.floor(Date.now() / 1_000)
const types = async (user: User) => (await inbox(user)).notifications.map(({ type }) => type)
const seqOf = async (user: User) => Number((await user.get('/notifications')).headers.get('X-Inbox-Seq'))
const count = async (user: User) => (await user.get('/notifications/unread-count')).body
const remove = (user: User, id: string | undefined) => user.request('DELETE', `/notifications/${id}`)

startEachWithNone()

/** An isolate with a service of the studio's and a user, and what they do most. */
async function scene(variables: Record<string, string> = {}) {
  const isolate = newIsolate(variables)
  const [studio, ada] = [await announcer(isolate.service), await signUp('ada', isolate.service)]
  return { ...isolate, studio, ada }
}

/** Has an isolate learn the announcements, by the look of somebody else. */
async function learn({ service, settled }: Pick<ReturnType<typeof newIsolate>, 'service' | 'settled'>) {
  await count(await signUp('somebody', service))
  await settled()
}

/** The first database, which holds its answers back until `gate` opens, in sessions that begin while it is slow. */
function answeringAfter(gate: Promise<void>, isSlow = () => true): D1Database {
  return withSessions(env.DB, (session) => {
    const batch = async (statements: D1PreparedStatement[]) => {
      const answer = await session.batch(statements)
      await gate
      return answer
    }
    return isSlow() ? { batch } : {}
  })
}

describe('an announcement', () => {
  it('is a notification like others, in the inbox of a user whom nothing was ever sent', async () => {
    const { studio, ada } = await scene()
    const { type, data } = await announce(studio)
    const { notifications, total, unread } = await inbox(ada)
    expect(notifications).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type,
        data,
        state: 'unread',
        created_at: expect.closeTo(now(), -2),
      },
    ])
    expect([total, unread, await seqOf(ada)]).toEqual([1, 1, 1])
    const read = await ada.request('POST', '/notifications/read')
    expect(read.body).toEqual({ marked_count: 1 })
    expect((await remove(ada, notifications[0]?.id)).status).toBe(204)
    expect(await inbox(ada)).toMatchObject({ total: 0, unread: 0 })
    expect(await seqOf(ada)).toBe(3)
  })

  it.each(['/notifications', '/notifications/unread-count'])(
    'is there when its user asks for %s, before the answer',
    async (path) => {
      const { studio, ada } = await scene()
      await announce(studio)
      const answer = await ada.get(path)
      expect(answer.body).toMatchObject(path.endsWith('count') ? { count: 1 } : { total: 1, unread: 1 })
      expect(answer.headers.get('X-Inbox-Seq')).toBe('1')
    },
  )

  it('is there when its user connects, before ready; connected devices get it as an event', async () => {
    const { service, studio, ada } = await scene()
    const phone = await Device.of(ada, { service })
    expect(phone.ready).toMatchObject({ seq: 0, unread: 0 })
    const { type, data } = await announce(studio)
    expect(await countOf(inboxOf(ada), "sqlite_master WHERE name = 'notifications'"), 'no look yet').toBe(0)
    const laptop = await Device.of(ada, { service })
    expect(laptop.ready).toMatchObject({ seq: 1, unread: 1, data: { recovered: false } })
    expect(await phone.next()).toMatchObject({
      type: 'notification',
      seq: 1,
      unread: 1,
      data: { type, data },
    })
    const back = await Device.of(ada, { service, after: 0 })
    expect(back.ready).toMatchObject({ seq: 0, unread: 0, data: { recovered: true } })
    expect((await back.settled()).seqs).toEqual([1])
    expect((await laptop.settled()).events).toEqual([])
  })

  it('comes once, however many looks come at once, and stays away when its user has deleted it', async () => {
    const { studio, ada, settled } = await scene()
    await announce(studio)
    await Promise.all(Array.from({ length: 8 }, () => ada.get('/notifications')))
    const { notifications } = await inbox(ada)
    expect(notifications).toHaveLength(1)
    await remove(ada, notifications[0]?.id)
    await announce(studio, { type: 'studio.second' })
    expect(await types(ada)).toEqual(['studio.second'])
    later(31)
    await count(ada)
    await settled()
    expect([await types(ada), await seqOf(ada)]).toEqual([['studio.second'], 3])
  })

  it('goes when it has ended, by an event with the next seq, also after it was read', async () => {
    const { service, studio, ada } = await scene()
    const [first, second] = [await announce(studio), await announce(studio, { type: 'studio.second' })]
    const phone = await Device.of(ada, { service })
    await ada.request('POST', '/notifications/read')
    await end(studio, first)
    expect(await types(ada)).toEqual(['studio.second'])
    await end(studio, second)
    expect(await inbox(ada)).toMatchObject({ notifications: [], total: 0, unread: 0 })
    const events = (await phone.settled()).events.map(({ seq, type, unread }) => [seq, type, unread])
    expect([phone.ready.seq, events]).toEqual([
      2,
      [
        [3, 'notifications_read', 0],
        [4, 'notification_deleted', 0],
        [5, 'notification_deleted', 0],
      ],
    ])
  })

  it('goes when its time has come, by the alarm, without a look', async () => {
    const { service, studio, ada } = await scene()
    await announce(studio, { expires_at: now() + 60 })
    await announce(studio, { type: 'studio.second' })
    const phone = await Device.of(ada, { service })
    expect(phone.ready.unread).toBe(2)
    later(61)
    await ring(inboxOf(ada))
    expect(await phone.next()).toMatchObject({ type: 'notification_deleted', seq: 3, unread: 1 })
    expect(await types(ada)).toEqual(['studio.second'])
  })

  it.each([[[]], [['studio.second']]])(
    'is not taken in once it has expired, also with %j, which has not',
    async (others) => {
      const { studio, ada } = await scene()
      await announce(studio, { expires_at: now() + 20 })
      for (const type of others) await announce(studio, { type })
      later(21)
      expect([await types(ada), await seqOf(ada)]).toEqual([others, others.length])
    },
  )

  it('that ended before a user looked leaves no trace: no event, no row, no tables', async () => {
    const { studio, ada } = await scene()
    await end(studio, await announce(studio))
    expect([await types(ada), await seqOf(ada)]).toEqual([[], 0])
    expect(await runInDurableObject(inboxOf(ada), (_, { storage }) => storage.kv.get('schema_version'))).toBe(
      undefined,
    )
  })

  it('comes with all others that are in force, in their order', async () => {
    const { studio, ada } = await scene()
    const names = Array.from({ length: 20 }, (_, index) => `studio.number_${index}`)
    for (const type of names) await announce(studio, { type })
    const { notifications, total, unread } = await inbox(ada)
    expect(notifications.map(({ type }) => type).reverse()).toEqual(names)
    expect([total, unread, await seqOf(ada)]).toEqual([20, 20, 20])
  })

  it('takes the place of the oldest in a full inbox: never more than its limit', async () => {
    const { studio, ada } = await scene({ MAX_NOTIFICATIONS: '8' })
    for (let index = 0; index < 8; index++) await publishTo(ada, `friend ${index}`)
    for (let index = 0; index < 7; index++) await announce(studio)
    const { notifications, total, unread } = await inbox(ada)
    expect([total, unread, notifications.at(-1)?.data]).toEqual([
      8,
      8,
      { from_user_id: 7, from_display_name: 'friend 7' },
    ])
    expect(await seqOf(ada)).toBe(8 + 7 + 7)
  })

  it('reaches a user who was away for a year, and none that has passed meanwhile', async () => {
    const { service, studio, ada, settled } = await scene()
    await announce(studio, { expires_at: now() + DAY })
    await publishTo(ada)
    expect(await types(ada)).toHaveLength(2)
    later(365 * DAY)
    await announce(await announcer(service), { type: 'studio.new' })
    await ring(inboxOf(ada))
    const back = new User(ada.id, await tokenFor(ada.id), service)
    expect(await inbox(back)).toMatchObject({ notifications: [{ type: 'studio.new' }], total: 1, unread: 1 })
    await settled()
    expect(await seqOf(back), 'two came, two went, one came').toBe(5)
  })

  it('comes again to a user who was erased and is a new one', async () => {
    const { studio, ada, settled } = await scene()
    await announce(studio)
    expect(await types(ada)).toHaveLength(1)
    const seq = await seqOf(ada)
    await settled()
    await inboxOf(ada).erase('1')
    expect(await inboxOf(ada).counts()).toMatchObject({ total: 0, unread: 0 })
    expect(await types(ada)).toEqual(['studio.maintenance'])
    expect(await seqOf(ada)).toBe(seq + 2)
  })
})

describe('isolates', () => {
  it('learn of an announcement by the first look, whose answer does not wait, and pass it on to its inbox', async () => {
    const { studio, ada } = await scene()
    await announce(studio)
    const gate = Promise.withResolvers<void>()
    const cold = newIsolate({ DB: answeringAfter(gate.promise) })
    const bob = await signUp('bob', cold.service)
    expect(await types(bob), 'the list is still being read').toEqual([])
    gate.resolve()
    await cold.settled()
    expect(await inboxOf(bob).counts()).toEqual({ seq: 1, total: 1, unread: 1 })
    expect(await types(ada.through(cold.service)), 'from now on before the answer').toHaveLength(1)
  })

  it('that have just begun let an ended announcement go too, so that no user keeps it', async () => {
    const { studio, ada } = await scene()
    const made = await announce(studio)
    expect(await types(ada)).toHaveLength(1)
    await end(studio, made)
    const cold = newIsolate()
    await count(ada.through(cold.service))
    await cold.settled()
    expect(await inboxOf(ada).counts()).toMatchObject({ total: 0, unread: 0 })
  })

  it('know of a change elsewhere within a minute of looks', async () => {
    const { studio, ...here } = await scene()
    const there = newIsolate()
    await learn(there)
    const made = await announce(studio)
    const bob = await signUp('bob', there.service)
    expect(await types(bob), 'not known there yet').toEqual([])
    later(31)
    await learn(there)
    expect(await types(bob)).toHaveLength(1)
    await end(studio.through(here.service), made)
    later(31)
    await learn(there)
    expect(await types(bob)).toEqual([])
  })

  it('that know less take nothing away and bring nothing back', async () => {
    const { studio, ada, ...here } = await scene()
    const first = await announce(studio)
    const stale = newIsolate()
    await learn(stale)
    await announce(studio, { type: 'studio.second' })
    await end(studio, first)
    expect(await types(ada)).toEqual(['studio.second'])
    for (let looks = 0; looks < 3; looks++) {
      expect(await types(ada.through(stale.service))).toEqual(['studio.second'])
      expect(await types(ada.through(here.service))).toEqual(['studio.second'])
    }
    expect(await seqOf(ada)).toBe(1)
  })

  it('that still tell of an ended announcement bring it until the next look through one that knows', async () => {
    const { studio, ada, ...here } = await scene()
    const made = await announce(studio)
    const stale = newIsolate()
    await learn(stale)
    await end(studio, made)
    expect(await types(ada)).toEqual([])
    expect(await types(ada.through(stale.service))).toHaveLength(1)
    expect(await types(ada.through(here.service))).toEqual([])
    later(61)
    await learn(stale)
    expect(await types(ada.through(stale.service))).toEqual([])
  })

  it('tell nothing of a list that is a minute old', async () => {
    const { studio } = await scene()
    const made = await announce(studio)
    const stale = newIsolate()
    await learn(stale)
    await end(studio, made)
    later(61)
    expect(await types(await signUp('bob', stale.service))).toEqual([])
  })

  it('answer every look while the first database fails, log that, and know again when it is back', async () => {
    const { studio } = await scene()
    await announce(studio)
    const broken = { is: true }
    const DB = overridden(env.DB, {
      withSession: (constraint: string) => {
        if (broken.is) throw new Error('D1_ERROR: the database is out')
        return env.DB.withSession(constraint)
      },
    })
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const cut = newIsolate({ DB })
    const bob = await signUp('bob', cut.service)
    expect(await types(bob)).toEqual([])
    await cut.settled()
    expect(warnings.mock.calls.map(String)).toEqual([
      expect.stringContaining('announcements were not passed on'),
    ])
    const again = await announcer(cut.service)
    expect((await again.request('POST', '/announcements', { json: {} })).status).toBe(400)
    expect(await types(bob), 'tried once in five seconds').toEqual([])
    await cut.settled()
    expect(warnings).toHaveBeenCalledTimes(1)
    broken.is = false
    later(5)
    await types(bob)
    await cut.settled()
    expect(await types(bob)).toHaveLength(1)
    warnings.mockRestore()
  })

  it('keep the newest list when an older one is read late', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = { is: true }
    const here = newIsolate({ DB: answeringAfter(gate.promise, () => slow.is) })
    const [ada, studio] = [await signUp('ada', here.service), await announcer(here.service)]
    await count(ada)
    slow.is = false
    await announce(studio)
    gate.resolve()
    await here.settled()
    expect(await types(ada)).toHaveLength(1)
  })
})

describe('no request pays for announcements', () => {
  it('costs no trip to D1 and one call, whatever there is, once inbox and isolate know it', async () => {
    const { studio, ada, cost, service, settled } = await scene()
    await announce(studio)
    await inbox(ada)
    const costs: unknown[] = []
    for (const look of [
      () => ada.get('/notifications'),
      () => count(ada),
      async () => (await Device.of(ada, { service })).leave(),
    ]) {
      Object.assign(cost, { trips: 0, calls: 0 })
      await look()
      await settled()
      costs.push({ ...cost })
    }
    expect(costs).toEqual(Array(3).fill({ trips: 0, calls: 1 }))
  })

  it('costs two calls more to take in, however many there are, and writes no row when there is nothing', async () => {
    const { studio, ada, cost } = await scene()
    for (let index = 0; index < 5; index++) await announce(studio)
    Object.assign(cost, { trips: 0, calls: 0 })
    await count(ada)
    expect(cost).toEqual({ trips: 0, calls: 3 })
  })

  it('reads the list once for all looks that come at once, and not again for 30 seconds', async () => {
    const { service, settled, cost } = newIsolate()
    const users = await Promise.all(Array.from({ length: 5 }, () => signUp('user', service)))
    await Promise.all(users.map(count))
    await settled()
    expect(cost.trips).toBe(1)
    later(29)
    await Promise.all(users.map(count))
    await settled()
    expect(cost.trips).toBe(1)
    later(2)
    await Promise.all(users.map(count))
    await settled()
    expect(cost.trips).toBe(2)
  })
})

describe('going back to an earlier state of the database', () => {
  it('keeps nothing taken in that is no more, once another is announced; a new one has a higher number', async () => {
    const { studio, ada } = await scene()
    const ended = await announce(studio, { type: 'studio.ended_since' })
    expect(await types(ada)).toEqual(['studio.ended_since'])
    const back = await aPointInTime()
    await end(studio, ended)
    await announce(studio, { type: 'studio.made_since' })
    expect(await types(ada)).toEqual(['studio.made_since'])
    await back()
    const after = newIsolate()
    await learn(after)
    const later = ada.through(after.service)
    expect(await types(later), 'nothing is known of the change').toEqual(['studio.made_since'])
    await announce(studio.through(after.service), { type: 'studio.after' })
    expect(await types(later)).toEqual(['studio.after'])
    expect(await types(await signUp('bob', after.service))).toEqual(['studio.after', 'studio.ended_since'])
  })
})
