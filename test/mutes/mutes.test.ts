import { afterEach, describe, expect, it, vi } from 'vitest'
import { made } from '../support/answer.ts'
import { countOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { toNextSecond } from '../support/next-second.ts'
import { gift, inbox, publish, publishBatch } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'

const publisher = () => operator('notifications:publish')
const path = (user: { id: string }) => `/mutes/${encodeURIComponent(user.id)}`

/** Mutes another user. Fails unless it succeeds. */
async function mute(user: User, other: { id: string }): Promise<void> {
  const { status, text } = await user.request('PUT', path(other))
  expect([status, text]).toEqual([204, ''])
}

/** Unmutes another user. Fails unless it succeeds. */
async function unmute(user: User, other: { id: string }): Promise<void> {
  const { status, text } = await user.request('DELETE', path(other))
  expect([status, text]).toEqual([204, ''])
}

/** A page of the users whom a user has muted. Fails unless it succeeds. */
const page = async (user: User, query = '') => made(records.MutePage, await user.get(`/mutes${query}`), 200)

/** The ids of the users whom a user has muted. */
const muted = async (user: User) => (await page(user)).mutes.map(({ user_id }) => user_id)

/** Ada, who mutes, and Bob. */
const two = async (): Promise<[ada: User, bob: User]> => [await signUp('ada'), await signUp('bob')]

afterEach(() => void vi.restoreAllMocks())

describe('PUT and DELETE /v1/mutes/{user_id}', () => {
  it('mutes a user, who need not exist, and lists the last muted first', async () => {
    const [ada, bob] = await two()
    const nobody = { id: `no / 100% ${newUserId()}` }
    for (const other of [bob, nobody]) await mute(ada, other)
    expect(await muted(ada)).toEqual([nobody.id, bob.id])
    expect(await muted(bob)).toEqual([])
    await unmute(ada, bob)
    expect(await muted(ada)).toEqual([nobody.id])
  })

  it('keeps the time and the place of a user who is muted again', async () => {
    const [ada, bob] = await two()
    const eve = await signUp('eve')
    for (const other of [bob, eve]) await mute(ada, other)
    const before = await page(ada)
    toNextSecond()
    await mute(ada, bob)
    expect(await page(ada)).toEqual(before)
    await unmute(ada, bob)
    await mute(ada, bob)
    expect(await muted(ada)).toEqual([bob.id, eve.id])
  })

  it('unmutes a user who is not muted, also for a user who has muted nobody', async () => {
    const [ada, bob] = await two()
    await unmute(ada, bob)
    await mute(ada, bob)
    await unmute(ada, { id: newUserId() })
    expect(await muted(ada)).toEqual([bob.id])
  })

  it('refuses oneself, and what is no id of a user', async () => {
    const [ada] = await two()
    const own = await ada.request('PUT', path(ada))
    expect(own).toBeProblem(400, 'VALIDATION_FAILED')
    expect(own.body).toMatchObject({ errors: [{ in: 'path', path: '/user_id' }] })
    for (const id of ['a%00b', 'x'.repeat(129)])
      for (const method of ['PUT', 'DELETE'])
        expect(await ada.request(method, `/mutes/${id}`)).toBeProblem(400, 'VALIDATION_FAILED')
    expect(await muted(ada)).toEqual([])
  })

  it('refuses one more than MAX_MUTES, keeps all as it was, and has room again for one that ends', async () => {
    const ada = await signUp('ada', serviceWith({ MAX_MUTES: '2' }))
    const [first, second, third] = [newUserId(), newUserId(), newUserId()].map((id) => ({ id }))
    if (!first || !second || !third) throw new Error('nobody')
    for (const other of [first, second]) await mute(ada, other)
    const refused = await ada.request('PUT', path(third))
    expect(refused).toBeProblem(409, 'LIMIT_REACHED')
    expect(refused.body).toMatchObject({ limit: 'mutes' })
    await mute(ada, second)
    expect(await muted(ada)).toEqual([second.id, first.id])
    expect((await publish(await publisher(), gift(ada, { sender_id: third.id }))).status).toBe(201)
    await unmute(ada, first)
    await mute(ada, third)
    expect(await muted(ada)).toEqual([third.id, second.id])
  })

  it('answers pages with a cursor that no other list takes', async () => {
    const [ada] = await two()
    const ids = [newUserId(), newUserId(), newUserId()]
    for (const id of ids) await mute(ada, { id })
    const first = await page(ada, '?limit=2')
    const second = await page(ada, `?limit=2&cursor=${first.next_cursor}`)
    expect([...first.mutes, ...second.mutes].map(({ user_id }) => user_id)).toEqual(ids.toReversed())
    expect(second.next_cursor).toBe(null)
    expect(await ada.get(`/shares?cursor=${first.next_cursor}`)).toBeProblem(400, 'INVALID_CURSOR')
    expect(await ada.get('/mutes?cursor=nonsense')).toBeProblem(400, 'INVALID_CURSOR')
  })
})

describe('the shares of a muted user', () => {
  it('leave the list of the one who has muted, and come back', async () => {
    const [ada, bob] = await two()
    const eve = await signUp('eve')
    const [theirs, others] = [await bob.content('bob.txt', 'x'), await eve.content('eve.txt', 'x')]
    const share = await bob.share(theirs, ada)
    await eve.share(others, ada)
    const names = async () => (await ada.sharedWithMe()).map(({ file }) => file.name)
    expect(await names()).toEqual(['eve.txt', 'bob.txt'])
    await mute(ada, bob)
    expect(await names()).toEqual(['eve.txt'])
    await bob.share(await bob.content('later.txt', 'x'), ada)
    expect(await names()).toEqual(['eve.txt'])
    // The share itself stays, for both.
    expect((await ada.sharedUrl(share)).status).toBe(200)
    expect((await bob.get(`/files/${theirs.id}/shares`)).body).toMatchObject([{ grantee_id: ada.id }])
    await unmute(ada, bob)
    expect(await names()).toEqual(['later.txt', 'eve.txt', 'bob.txt'])
  })

  it('leave pages that are shorter than their limit, behind which the others follow', async () => {
    const [ada, bob] = await two()
    const eve = await signUp('eve')
    await eve.share(await eve.content('first.txt', 'x'), ada)
    for (const name of ['a', 'b', 'c']) await bob.share(await bob.content(name, 'x'), ada)
    await eve.share(await eve.content('last.txt', 'x'), ada)
    await mute(ada, bob)
    const names: string[] = []
    let cursor: string | null = null
    do {
      const found = await ada.get(`/shares?limit=1${cursor ? `&cursor=${cursor}` : ''}`)
      const { shares, next_cursor }: { shares: { file: { name: string } }[]; next_cursor: string | null } =
        JSON.parse(found.text)
      names.push(...shares.map(({ file }) => file.name))
      cursor = next_cursor
    } while (cursor)
    expect(names).toEqual(['last.txt', 'first.txt'])
  })

  it('are told to nobody who has muted their owner', async () => {
    const service = serviceWith({ NOTIFY_SHARES: 'on' })
    const [ada, bob] = [await signUp('ada', service), await signUp('bob', service)]
    await inbox(ada)
    const waiting = ({ id }: { id: string }) => countOf('shares_to_notify WHERE share_id = ?', id)
    await mute(ada, bob)
    const one = await bob.share(await bob.content('muted.txt', 'x'), ada)
    await expect.poll(() => waiting(one), { message: 'the job does not try again' }).toBe(0)
    expect((await inbox(ada)).total).toBe(0)
    await unmute(ada, bob)
    await bob.share(await bob.content('heard.txt', 'x'), ada)
    await expect
      .poll(async () => (await inbox(ada)).notifications)
      .toMatchObject([{ data: { name: 'heard.txt' } }])
  })
})

describe('a publication with `sender_id`', () => {
  it('is refused for a recipient who has muted the sender, and stored for everybody else', async () => {
    const [ada, bob] = await two()
    const [eve, social] = [await signUp('eve'), await publisher()]
    await mute(ada, bob)
    expect(await publish(social, gift(ada, { sender_id: bob.id }))).toBeProblem(409, 'MUTED_BY_USER')
    for (const input of [gift(ada, { sender_id: eve.id }), gift(ada), gift(eve, { sender_id: bob.id })])
      expect((await publish(social, input)).status).toBe(201)
    const { total, notifications } = await inbox(ada)
    expect(total).toBe(2)
    expect(JSON.stringify(notifications), 'the recipient does not get the id').not.toContain(eve.id)
    await unmute(ada, bob)
    expect((await publish(social, gift(ada, { sender_id: bob.id }))).status).toBe(201)
  })

  it('has an outcome for each recipient of a batch', async () => {
    const [ada, bob] = await two()
    const [eve, social] = [await signUp('eve'), await publisher()]
    await mute(ada, bob)
    const { user_id: _, ...message } = gift(ada, { sender_id: bob.id })
    const answer = await publishBatch(social, { user_ids: [ada.id, eve.id], ...message })
    expect(answer.body).toEqual({
      results: [
        { user_id: ada.id, code: 'MUTED_BY_USER' },
        { user_id: eve.id, notification_id: expect.any(String) },
      ],
    })
  })

  it('is not sent to sockets either when it is not persistent', async () => {
    const [ada, bob] = await two()
    const social = await publisher()
    await mute(ada, bob)
    const signal = (sender_id: string) => publish(social, gift(ada, { sender_id, persistent: false }))
    expect(await signal(bob.id)).toBeProblem(409, 'MUTED_BY_USER')
    expect((await signal(newUserId())).status).toBe(201)
  })

  it('binds its Idempotency-Key to the sender, and repeats the first answer also after a mute', async () => {
    const [ada, bob] = await two()
    const social = await publisher()
    const key = newUserId()
    const first = await publish(social, gift(ada, { sender_id: bob.id }), key)
    await mute(ada, bob)
    expect((await publish(social, gift(ada, { sender_id: bob.id }), key)).body).toEqual(first.body)
    for (const other of [{ sender_id: newUserId() }, {}])
      expect(await publish(social, gift(ada, other), key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('uses up no key while the sender is muted', async () => {
    const [ada, bob] = await two()
    const social = await publisher()
    const key = newUserId()
    await mute(ada, bob)
    expect(await publish(social, gift(ada, { sender_id: bob.id }), key)).toBeProblem(409, 'MUTED_BY_USER')
    await unmute(ada, bob)
    expect((await publish(social, gift(ada, { sender_id: bob.id }), key)).status).toBe(201)
    expect((await inbox(ada)).total).toBe(1)
  })

  it('refuses a sender that is no id of a user', async () => {
    const [ada] = await two()
    const answer = await publish(await publisher(), gift(ada, { sender_id: '' }))
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED')
    expect(answer.body).toMatchObject({ errors: [{ path: '/sender_id' }] })
  })
})

it('tells a muted user nothing: every answer is the same', async () => {
  const [ada, bob] = await two()
  const file = await bob.content('bob.txt', 'x')
  await bob.share(file, ada)
  const look = async () => {
    const answers: unknown[] = []
    for (const place of ['/files', `/files/${file.id}/shares`, '/quota', '/mutes', '/notifications'])
      answers.push((await bob.get(place)).body)
    const again = await bob.createShare(file, { grantee_id: ada.id, permission: 'view' })
    return [...answers, again.status, again.body]
  }
  const before = await look()
  await mute(ada, bob)
  expect(await look()).toEqual(before)
})

it('ends with the erasure of the one who has muted', async () => {
  const [ada, bob] = await two()
  await bob.share(await bob.content('bob.txt', 'x'), ada)
  await mute(ada, bob)
  const eraser = await operator('users:erase')
  expect((await eraser.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
  expect(await muted(ada)).toEqual([])
  const social = await publisher()
  expect((await publish(social, gift(ada, { sender_id: bob.id }))).status).toBe(201)
  // What the new account of the id mutes holds at once.
  await mute(ada, bob)
  expect(await publish(social, gift(ada, { sender_id: bob.id }))).toBeProblem(409, 'MUTED_BY_USER')
  expect(await muted(ada)).toEqual([bob.id])
})
