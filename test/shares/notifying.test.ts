import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { countOf } from '../support/databases.ts'
import { Device } from '../support/device.ts'
import { newKey } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { inbox } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { isolate, serviceWith } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

const on = serviceWith({ NOTIFY_SHARES: 'on' })
const to = (user: User, different: Record<string, unknown> = {}) => ({
  grantee_id: user.id,
  permission: 'view',
  ...different,
})

/** Users over a service that notifies, and a file of the first one's. */
async function scene(service = on) {
  const [ada, bob, eve] = [
    await signUp('ada', service),
    await signUp('bob', service),
    await signUp('eve', service),
  ]
  // A grantee has opened the inbox.
  await bob.through(on).get('/notifications/unread-count')
  return { ada, bob, eve, file: await ada.file('map.txt', 'hello', { mime_type: 'text/plain' }) }
}

/** What the user's inbox has, oldest first. */
const seen = async (user: User) =>
  (await inbox(user)).notifications.map(({ type, data }) => ({ type, data })).reverse()

/** Whether the grantee of a share is still to be notified: 1, else 0. */
const waiting = ({ id }: { id: string }) => countOf('shares_to_notify WHERE share_id = ?', id)

const share = async (owner: User, item: { id: string }, grantee: User) =>
  made(records.Share, await owner.createShare(item, to(grantee)), 201)

const notification = (owner: User, file: { id: string; name: string }, made: { id: string }) => ({
  type: 'file.shared',
  data: { share_id: made.id, file_id: file.id, owner_id: owner.id, name: file.name },
})

describe('with NOTIFY_SHARES=on, a new share', () => {
  it('notifies its grantee, in every database, with the share, the file, its owner and its name', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const { ada, bob, file } = await scene()
      const made = await share(ada, file, bob)
      await expect.poll(() => seen(bob)).toEqual([notification(ada, file, made)])
      await expect.poll(() => waiting(made), { message: 'nothing is left to the job' }).toBe(0)
    }
  })

  it.each<[look: string, (user: User) => Promise<unknown>]>([
    ['lists it', (user) => user.through(on).get('/notifications')],
    ['counts what is unread', (user) => user.through(on).get('/notifications/unread-count')],
    ['connects a device', (user) => Device.of(user, { service: on })],
  ])('notifies a grantee from when the grantee first opens the inbox: %s', async (_, look) => {
    const { ada, eve, file } = await scene()
    const before = await share(ada, file, eve)
    await expect.poll(() => waiting(before)).toBe(0)
    await look(eve)
    const other = await ada.file('other.txt', 'hello', { mime_type: 'text/plain' })
    const made = await share(ada, other, eve)
    await expect.poll(() => waiting(made)).toBe(0)
    expect(await seen(eve)).toEqual([notification(ada, other, made)])
    const shared = (await eve.sharedWithMe()).map(({ id }) => id)
    expect(shared.toSorted(), 'the list has both').toEqual([before.id, made.id].toSorted())
  })

  it('notifies once: sharing again changes permission and expiry, and a repetition with the key makes nothing', async () => {
    const { ada, bob, file } = await scene()
    const key = newKey()
    const first = made(records.Share, await ada.createShare(file, to(bob), key), 201)
    await ada.createShare(file, to(bob), key)
    await ada.createShare(file, to(bob, { permission: 'edit' }))
    const other = await ada.file('other.txt', 'hello', { mime_type: 'text/plain' })
    await expect.poll(() => seen(bob)).toHaveLength(1)
    const last = await share(ada, other, bob)
    await expect
      .poll(() => seen(bob))
      .toEqual([notification(ada, file, first), notification(ada, other, last)])
  })

  it('notifies once a day of one file, however often the owner revokes and shares', async () => {
    const { ada, bob, file } = await scene()
    const first = await share(ada, file, bob)
    await expect.poll(() => seen(bob)).toHaveLength(1)
    for (let turn = 0; turn < 3; turn++) {
      const [{ id = '' } = {}] = await bob.sharedWithMe()
      await ada.revoke(id)
      const made = await share(ada, file, bob)
      await expect.poll(() => waiting(made)).toBe(0)
    }
    expect(await seen(bob)).toEqual([notification(ada, file, first)])
  })

  it('is answered while the inbox fails, and the job has its row then', async () => {
    const { ada, bob, file } = await scene()
    const deaf = serviceWith({
      NOTIFY_SHARES: 'on',
      INBOX: overridden(env.INBOX, {
        getByName: () => ({ publish: () => Promise.reject(new Error('no inbox')) }),
      }),
    })
    const made = await share(ada.through(deaf), file, bob)
    expect(await waiting(made)).toBe(1)
    expect(await seen(bob)).toEqual([])
  })
})

describe('with NOTIFY_SHARES=off, the default, a new share', () => {
  it('notifies nobody, and writes no row for it', async () => {
    const { ada, bob, file } = await scene(isolate())
    expect(await waiting(await share(ada, file, bob))).toBe(0)
    const other = await ada.file('other.txt', 'hello', { mime_type: 'text/plain' })
    const made = await share(ada.through(on), other, bob)
    await expect.poll(() => seen(bob)).toEqual([notification(ada, other, made)])
  })
})
