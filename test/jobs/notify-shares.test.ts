import { env, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import type { FileRow } from '../../src/features/files/row.ts'
import { readInbox } from '../../src/features/notifications/read-inbox.ts'
import { createShare } from '../../src/features/shares/create.ts'
import { notifyGrantee, notifyGrantees, SHARES_PER_STEP } from '../../src/features/shares/notify.ts'
import { revokeShare } from '../../src/features/shares/revoke.ts'
import type { ShareRow } from '../../src/features/shares/row.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { runJob } from '../../src/janitor/run.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockFile } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { file, folder } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { countOf, databaseNames, learnLayOut, overEvery, placeOf } from '../support/databases.ts'
import { share } from '../support/erasing.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { everything, now, rulesAt } from '../support/inbox.ts'
import { meteredDatabase, overridden } from '../support/meter.ts'
import { dyingAt } from '../support/mortal.ts'
import { jobIn } from '../support/objects.ts'

afterEach(() => vi.restoreAllMocks())

const ON = { NOTIFY_SHARES: 'on' } as const
const MINUTE_DAYS = 1 / (24 * 60)

/** A user whose shares notify. The request's work after the answer never begins, unless `different` begins it. */
const userWith = (different: Partial<RequestContext> = {}) => contextOf(newUserId(), different, ON)

/** Such a user, who has opened the inbox. */
async function readerWith(): Promise<RequestContext> {
  const user = userWith()
  await readInbox(user, async (inbox, look) => inbox.counts(look))
  return user
}

/** A file in a folder, shared with a user. */
async function scene() {
  const [ada, bob] = [userWith(), await readerWith()]
  const outer = await folder(ada, 'outer')
  const item = await file(ada, outer.id)
  return { ada, bob, outer, item, made: await share(ada, item.id, bob) }
}

/** The name of a user's database. */
const homeName = ({ user_id }: RequestContext) => databaseNames[placeOf(user_id)] ?? FIRST

const due = ({ id, created_at }: ShareRow) => ({ due_at: created_at + 60, share_id: id })

/** What the user's inbox has. */
const seen = async ({ user_id }: RequestContext) => {
  const { notifications } = await env.INBOX.getByName(user_id).list(everything)
  return notifications.map(({ type, data }) => ({ type, data }))
}

const notification = ({ owner_id, id, name }: FileRow, made: ShareRow) => ({
  type: 'file.shared',
  data: { share_id: made.id, file_id: id, owner_id, name },
})

/** The rows that are left of these shares. */
const waiting = (...shares: ShareRow[]) =>
  countOf(
    'shares_to_notify WHERE share_id IN (SELECT value FROM json_each(?))',
    JSON.stringify(shares.map(({ id }) => id)),
  )

/** Takes the job's steps in every database until none has anything to do. Returns how many shares they were done with. */
async function notifyAll(days = 1.5 * MINUTE_DAYS, different = {}): Promise<number> {
  let sum = 0
  for (const name of databaseNames)
    for (let done = -1; done !== 0; sum += done)
      done = await notifyGrantees({ ...jobIn(days, name, ON), ...different })
  return sum
}

describe('the grantee of a new share', () => {
  it('is notified by the job, once, wherever the request’s Worker dies', async () => {
    for (const at of [1, 2, 3])
      for (const when of ['before', 'after'] as const) {
        const { ada, bob, item, made } = await scene()
        await notifyGrantee(dyingAt(ada, at, when), due(made))
        await notifyAll()
        await notifyAll()
        expect(await seen(bob), `${when} call ${at}`).toEqual([notification(item, made)])
        expect(await waiting(made)).toBe(0)
      }
  })

  it('is notified once when the Worker of the job dies, or the request and the job do it at once', async () => {
    for (const at of [1, 2, 3])
      for (const when of ['before', 'after'] as const) {
        const { ada, bob, item, made } = await scene()
        const job = dyingAt(jobIn(2 * MINUTE_DAYS, homeName(ada), ON), at, when)
        await Promise.allSettled([notifyGrantees(job), notifyGrantee(ada, due(made))])
        await notifyAll()
        expect(await seen(bob), `${when} call ${at}`).toEqual([notification(item, made)])
        expect(await waiting(made)).toBe(0)
      }
  })

  it('is not notified before they have opened their inbox: that of a user who is not there takes no storage', async () => {
    const [ada, bob] = [userWith(), userWith()]
    const [first, second, third] = [await file(ada), await file(ada), await file(ada)]
    const [one, two] = [await share(ada, first.id, bob), await share(ada, second.id, bob)]
    await notifyGrantee(ada, due(one))
    await notifyAll()
    const stored = () =>
      runInDurableObject(env.INBOX.getByName(bob.user_id), async (_, { storage }) => [
        storage.sql.exec('SELECT name FROM sqlite_schema').toArray().length,
        await storage.getAlarm(),
      ])
    expect([await stored(), await waiting(one, two)]).toEqual([[0, null], 0])
    for (const look of ['off', 'on'] as const) {
      const reader = contextOf(bob.user_id, {}, { NOTIFY_SHARES: look })
      expect(await readInbox(reader, async (inbox, told) => inbox.list(everything, told))).toMatchObject({
        total: 0,
      })
      expect((await stored())[0] === 0, `a look with NOTIFY_SHARES=${look}`).toBe(look === 'off')
    }
    const made = await share(ada, third.id, bob)
    await notifyGrantee(ada, due(made))
    expect(await seen(bob)).toEqual([notification(third, made)])
  })

  it('is left to the request for a minute', async () => {
    const { bob, made } = await scene()
    await notifyAll(0.9 * MINUTE_DAYS)
    expect([await seen(bob), await waiting(made)]).toEqual([[], 1])
    await notifyAll(1.1 * MINUTE_DAYS)
    expect([(await seen(bob)).length, await waiting(made)]).toEqual([1, 0])
  })

  it.each<[string, (of: Awaited<ReturnType<typeof scene>>) => Promise<unknown>]>([
    ['revoked', ({ ada, made }) => revokeShare(ada, made.id)],
    ['given up', ({ bob, made }) => revokeShare(bob, made.id)],
    ['of a file in the trash', ({ ada, item }) => deleteFile(ada, item.id)],
    ['below a folder in the trash', ({ ada, outer }) => deleteFile(ada, outer.id)],
    [
      'of a file that is purged',
      async ({ ada, item }) => {
        await deleteFile(ada, item.id)
        await purgeFile(ada, item.id)
      },
    ],
    ['of a blocked file', ({ ada, item }) => blockFile(ada, item.id)],
    ['below a blocked folder', ({ ada, outer }) => blockFile(ada, outer.id)],
    ['of an erased owner', ({ ada }) => eraseUser(ada, ada.user_id)],
    ['with an erased grantee', ({ ada, bob }) => eraseUser(ada, bob.user_id)],
  ])(
    'is not notified of a share that is %s by then: neither by the request nor by the job',
    async (_, end) => {
      const [first, second] = [await scene(), await scene()]
      for (const of of [first, second]) await end(of)
      await notifyGrantee(first.ada, due(first.made))
      await notifyAll()
      expect(await Promise.all([first, second].map(({ bob }) => seen(bob)))).toEqual([[], []])
      expect(await waiting(first.made, second.made)).toBe(0)
    },
  )

  it('is not notified when they are erased after the share was read, and before the inbox is called', async () => {
    const { ada, bob, made } = await scene()
    const inboxes = overridden(env.INBOX, {
      getByName: (name: string) => {
        const inbox = env.INBOX.getByName(name)
        const publish = async (...args: Parameters<typeof inbox.publish>) => {
          await eraseUser(contextOf(newUserId()), name)
          return inbox.publish(...args)
        }
        return { publish }
      },
    })
    await notifyGrantee({ ...ada, inboxes }, due(made))
    expect([await seen(bob), await waiting(made)]).toEqual([[], 0])
    const again = await share(ada, (await file(ada)).id, bob)
    await notifyGrantee(ada, due(again))
    expect(await seen(bob), 'the new account is notified').toHaveLength(1)
  })

  it('is not notified of a share that expires before, nor of one that is a day old', async () => {
    const [expiring, old] = [await scene(), await scene()]
    const expires_at = expiring.made.created_at + 60
    await createShare(expiring.ada, expiring.item.id, {
      grantee_id: expiring.bob.user_id,
      permission: 'view',
      expires_at,
    })
    await notifyAll(1)
    for (const { bob, made } of [expiring, old])
      expect([await seen(bob), await waiting(made)]).toEqual([[], 0])
  })

  it('is notified of a share of nearly 23 hours, after the job was off', async () => {
    const { bob, item, made } = await scene()
    await notifyAll(22.9 / 24)
    expect([await seen(bob), await waiting(made)]).toEqual([[notification(item, made)], 0])
  })

  it('keeps nine tenths of a full inbox, however many files one owner shares', async () => {
    const ada = contextOf(newUserId(), {}, { ...ON, MAX_NOTIFICATIONS: 20 })
    const bob = userWith()
    const inbox = env.INBOX.getByName(bob.user_id)
    const rules = rulesAt(now(), { max_notifications: 20 })
    for (let n = 0; n < 20; n++)
      await inbox.publish({ user_id: bob.user_id, type: 'shop.gift', data: { n } }, rules, undefined)
    for (let n = 0; n < 3; n++) {
      const { id } = await file(ada)
      await notifyGrantee(ada, due(await share(ada, id, bob)))
    }
    const types = (await seen(bob)).map(({ type }) => type)
    expect(types).toEqual([...Array(2).fill('file.shared'), ...Array(18).fill('shop.gift')])
  })

  it('is notified of at most 100 shares of one owner in a day, and of those of others', async () => {
    const [ada, eve, bob] = [userWith(), userWith(), await readerWith()]
    const item = await file(ada)
    const others = await file(eve)
    await share(ada, item.id, bob)
    await notifyAll()
    const rules = rulesAt(now())
    const inbox = env.INBOX.getByName(bob.user_id)
    const key = { publisher: `\u0000\u0000${ada.user_id}`, request_hash: '' }
    const input = { user_id: bob.user_id, type: 'file.shared', data: {} }
    for (let n = 1; n < 100; n++) await inbox.publish(input, rules, { ...key, key: `file ${n}` })
    await share(ada, (await file(ada)).id, bob)
    const last = await share(eve, others.id, bob)
    expect(await notifyAll()).toBe(2)
    expect(await inbox.counts()).toMatchObject({ total: 101 })
    const [newest] = await seen(bob)
    expect(newest, 'only the other owner’s has come').toEqual(notification(others, last))
  })

  it('waits while the inbox fails, and holds up no other grantee', async () => {
    const [first, second] = [await scene(), await scene()]
    const inboxes = overridden(env.INBOX, {
      getByName: (name: string) =>
        name === first.bob.user_id
          ? { publish: () => Promise.reject(new Error('no inbox')) }
          : env.INBOX.getByName(name),
    })
    vi.spyOn(console, 'warn').mockImplementationOnce(() => {})
    expect(await notifyAll(2 * MINUTE_DAYS, { inboxes })).toBe(1)
    expect([await seen(first.bob), (await seen(second.bob)).length]).toEqual([[], 1])
    await notifyAll(6 * MINUTE_DAYS)
    expect(await seen(first.bob), 'it is not due yet').toEqual([])
    await notifyAll(7.1 * MINUTE_DAYS)
    expect(await seen(first.bob)).toEqual([notification(first.item, first.made)])
  })
})

describe('the cost of notifying', () => {
  /** What a user's requests cost in trips to D1, rows that they write, and calls to inboxes. */
  function counting() {
    const cost = { trips: 0, rows_written: 0, calls: 0 }
    const bindings = overEvery((database) =>
      meteredDatabase(database, (results) => {
        cost.trips++
        for (const { meta } of results) cost.rows_written += meta.rows_written
      }),
    )
    learnLayOut(bindings)
    const databases = databasesOver(bindings)
    const inboxes = overridden(env.INBOX, {
      getByName: (name: string) => {
        cost.calls++
        return env.INBOX.getByName(name)
      },
    })
    return {
      different: { databases, inboxes },
      async of(act: () => Promise<unknown>) {
        Object.assign(cost, { trips: 0, rows_written: 0, calls: 0 })
        await act()
        return { ...cost }
      },
    }
  }

  it('is one row more before the answer, and two trips, a row and a call after it', async () => {
    const { different, of } = counting()
    const costs = []
    for (const NOTIFY_SHARES of ['off', 'on'] as const) {
      const later: Parameters<RequestContext['afterwards']>[0][] = []
      const afterwards: RequestContext['afterwards'] = (work) => later.push(work)
      const ada = contextOf(newUserId(), { ...different, afterwards }, { NOTIFY_SHARES })
      const item = await file(ada)
      const bob = userWith()
      const before = await of(() => share(ada, item.id, bob))
      const after = await of(() => Promise.all(later.map((work) => work(ada))))
      costs.push({ before, after })
    }
    const [off, on] = costs
    expect(off?.after).toEqual({ trips: 0, rows_written: 0, calls: 0 })
    expect(on?.after).toEqual({ trips: 2, rows_written: 1, calls: 1 })
    expect(on?.before).toEqual({ ...off?.before, rows_written: (off?.before.rows_written ?? 0) + 1 })
  })

  it('is nothing for the job while it is off, and one query with nothing due', async () => {
    const { different, of } = counting()
    const job = { ...jobIn(1), ...different, db: different.databases.whole(FIRST) }
    expect(await of(() => notifyGrantees(job))).toEqual({ trips: 0, rows_written: 0, calls: 0 })
    const on = { ...job, config: { ...job.config, ...ON } }
    expect(await of(() => notifyGrantees(on))).toEqual({ trips: 1, rows_written: 0, calls: 0 })
  })

  it('stays within what the task declares, and the job takes all of them', async () => {
    const bob = await readerWith()
    const made: ShareRow[] = []
    for (let n = 0; n <= SHARES_PER_STEP; n++) {
      const ada = contextOf(newUserIdIn(FIRST), {}, ON)
      made.push(await share(ada, (await file(ada)).id, bob))
    }
    const errors = vi.spyOn(console, 'error')
    const report = await runJob(jobIn(2 * MINUTE_DAYS, FIRST, ON))
    expect(report).toMatchObject({ shares_notified: made.length })
    expect(errors).not.toHaveBeenCalled()
    expect(await seen(bob)).toHaveLength(made.length)
    expect(await waiting(...made)).toBe(0)
  })
})
