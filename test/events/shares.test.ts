import { beforeEach, describe, expect, it } from 'vitest'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { configWithEvents, EventLog, serviceWithEvents } from '../support/events.ts'
import { runJobIn } from '../support/objects.ts'

const { service } = serviceWithEvents()
const config = configWithEvents()

let ada: Creator
let bob: Creator
let eve: Creator
let log: EventLog
let file: { id: string }

beforeEach(async () => {
  ada = await signUpCreator('ada', service)
  bob = await signUpCreator('bob', service)
  eve = await signUpCreator('eve', service)
  file = await ada.file('notes', 'abc')
  log = new EventLog(ada, bob)
  await log.next()
})

const data = (share_id: string) => ({ share_id, file_id: file.id, owner_id: ada.id, grantee_id: bob.id })
const revoked = (share_id: string, reason: string) => ['share.revoked', { ...data(share_id), reason }]

describe('share.created', () => {
  it('is written once, not when the share is changed, repeated or refused', async () => {
    const body = { grantee_id: bob.id, permission: 'view' }
    const headers = { 'Idempotency-Key': 'share' }
    expect((await ada.createShare(file, body, headers)).status).toBe(201)
    const [[type, told] = []] = await log.next()
    expect(type).toBe('share.created')
    expect(told).toMatchObject({ file_id: file.id, grantee_id: bob.id, permission: 'view', expires_at: null })

    expect((await ada.createShare(file, body, headers)).status).toBe(201)
    expect((await ada.createShare(file, { ...body, permission: 'edit' })).status).toBe(201)
    expect(await ada.createShare(file, { ...body, grantee_id: ada.id })).toBeProblem(
      400,
      'SHARE_INVALID_GRANTEE',
    )
    expect(await eve.createShare(file, body)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await log.next()).toEqual([])
  })

  it('is written once when the same is shared many times at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => ada.share(file, bob)))
    expect((await log.next()).map(([type]) => type)).toEqual(['share.created'])
  })
})

describe('share.revoked', () => {
  it.each([
    ['its owner', 'owner', () => ada],
    ['its grantee', 'grantee', () => bob],
  ])('tells once that %s has ended it', async (_, reason, who) => {
    const share = await ada.share(file, bob)
    await log.next()
    expect(await eve.revoke(share)).toBeProblem(404, 'SHARE_NOT_FOUND')
    expect(await log.next()).toEqual([])
    const answers = await Promise.all([1, 2, 3].map(() => who().revoke(share)))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(await log.next()).toEqual([revoked(share.id, reason)])
  })

  it('tells of each share of an owner whom the grantee leaves', async () => {
    const shares = [await ada.share(file, bob), await ada.share(await ada.file('more', 'x'), bob)]
    await ada.share(file, eve)
    await log.next()
    for (let times = 0; times < 2; times++)
      expect((await bob.request('DELETE', `/shares?owner_id=${ada.id}`)).status).toBe(204)
    const events = await log.next()
    expect(events.map(([type, { share_id, reason }]) => [type, share_id, reason]).sort()).toEqual(
      shares.map(({ id }) => ['share.revoked', id, 'grantee']).sort(),
    )
  })

  it('tells of a share that went with its grantee’s account before a new one of the same file is made', async () => {
    const share = await ada.share(file, bob)
    await log.next()
    const mark = `INSERT INTO erasures (user_id, until, mark, inbox_erased, is_guest) VALUES (?, unixepoch(), '1', 1, 1)`
    await databaseOf(file.id).prepare(mark).bind(bob.id).run()
    const again = await ada.share(file, bob)
    expect(again.id).not.toBe(share.id)
    expect((await log.next()).map(([type, { share_id, reason }]) => [type, share_id, reason])).toEqual([
      ['share.created', again.id, undefined],
      ['share.revoked', share.id, 'user_erased'],
    ])
  })

  it('is not written for a share that has expired, however it goes', async () => {
    const [expired, later] = [
      await ada.share(file, bob, 4_000_000_000),
      await ada.share(file, eve, 4_000_000_000),
    ]
    const end = 'UPDATE shares SET expires_at = unixepoch() - 1 WHERE id IN (?, ?)'
    await databaseOf(file.id).prepare(end).bind(expired.id, later.id).run()
    await log.next()
    expect((await ada.revoke(expired)).status).toBe(204)
    await runJobIn(32, config)
    await runJobIn(32, config)
    expect(await log.next()).toEqual([])
  })

  it('is written when the file is gone for good, and not while it can be restored', async () => {
    const share = await ada.share(file, bob)
    await log.next()
    await ada.delete(file)
    expect(await log.next()).toEqual([])
    await ada.purge(file)
    await runJobIn(0, config)
    expect((await log.next()).filter(([type]) => type === 'share.revoked')).toEqual([
      revoked(share.id, 'file_purged'),
    ])
  })
})
