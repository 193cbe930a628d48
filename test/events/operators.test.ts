import { beforeEach, describe, expect, it } from 'vitest'
import { upload } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { type Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { countOf } from '../support/databases.ts'
import { configWithEvents, EventLog, eventsAbout, serviceWithEvents } from '../support/events.ts'
import { newUserId } from '../support/ids.ts'
import { runJobIn } from '../support/objects.ts'
import { race } from '../support/race.ts'
import { operator, type User } from '../support/user.ts'

const { service, sent } = serviceWithEvents()
const config = configWithEvents()

let ada: Creator
let bob: Creator
let log: EventLog

beforeEach(async () => {
  ;[ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
  log = new EventLog(ada, bob)
})

describe('content.blocked', () => {
  let moderator: User
  beforeEach(async () => {
    moderator = (await operator('content:moderate')).through(service)
  })

  it('is written once for a block, and again only after it was lifted', async () => {
    const things = { files: await ada.file('notes', 'abc'), assets: await ada.emptyAsset('castle') }
    await log.next()
    for (const [kind, { id }] of Object.entries(things)) {
      const path = `${kind === 'files' ? '/files' : '/game/assets'}/${id}/block`
      const blocked = ['content.blocked', { kind, id, owner_id: ada.id, blocked_by: moderator.id }]
      const reason = { json: { reason: 'a reason that names somebody' } }
      expect(await ada.request('PUT', path)).toBeProblem(403, 'FORBIDDEN')
      expect((await moderator.request('PUT', path, reason)).status).toBe(204)
      expect((await moderator.request('PUT', path, reason)).status).toBe(204)
      expect(await log.next()).toEqual([blocked])
      expect((await moderator.request('DELETE', path)).status).toBe(204)
      expect(await log.next()).toEqual([])
      expect((await moderator.request('PUT', path)).status).toBe(204)
      expect(await log.next()).toEqual([blocked])
    }
  })

  it('is one event for a folder, and none for what takes the block over', async () => {
    const folder = await ada.folder('folder')
    await ada.file('inside', 'abc', { parent_id: folder.id })
    await log.next()
    await moderator.request('PUT', `/files/${folder.id}/block`)
    expect((await log.next()).map(([type]) => type)).toEqual(['content.blocked'])
    const asset = await ada.asset('castle')
    await moderator.request('PUT', `/game/assets/${asset.id}/block`)
    await log.next()
    await ada.branched(asset)
    expect((await log.next()).map(([type]) => type)).toEqual(['asset.created', 'asset.version_added'])
  })
})

describe('user.erased', () => {
  it('is the last event of an erasure, after that of everything which it removes, and written once', async () => {
    const file = await ada.file('notes', 'abc')
    const theirs = await bob.file('theirs', 'x')
    const [given, taken] = [await ada.share(file, bob), await bob.share(theirs, ada)]
    const asset = await ada.asset('castle')
    const open = await ada.upload({ size_bytes: 5 })
    const content = await ada.sent({ asset_id: asset.id })
    await log.next()
    const eraser = (await operator('users:erase')).through(service)
    for (let times = 0; times < 2; times++)
      expect((await eraser.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
    expect((await log.next()).map(([type]) => type)).not.toContain('user.erased')
    await runJobIn(0.1, config)
    await runJobIn(0.2, config)
    await runJobIn(0.3, config)
    expect(await countOf('erasures WHERE user_id = ?', ada.id)).toBe(0)

    const events = (await eventsAbout(ada.id)).filter(({ type }) => !/created|added|completed/.test(type))
    const told = events.map(({ type, data }) => [
      type,
      data.share_id ?? data.file_id ?? data.asset_id ?? data.user_id,
      data.reason,
    ])
    expect(told.sort()).toEqual(
      [
        ['asset.deleted', asset.id, undefined],
        ['file.purged', file.id, undefined],
        ['file.purged', open.file?.id, undefined],
        ['share.revoked', given.id, 'file_purged'],
        ['share.revoked', taken.id, 'user_erased'],
        ['upload.failed', open.file?.id, 'target_gone'],
        ['upload.failed', content.id && asset.id, 'target_gone'],
        ['user.erased', ada.id, undefined],
      ].sort(),
    )
  })
})

describe('quota.threshold', () => {
  const passed = (threshold_percent: number, used_bytes: number, limit_bytes: number) => [
    'quota.threshold',
    { user_id: ada.id, threshold_percent, used_bytes, limit_bytes },
  ]

  it('is written each time that an upload, a branch or an operator brings a user to 80 % or 100 %', async () => {
    await giveQuota(ada, 100)
    await ada.upload({ size_bytes: 79 })
    expect(await log.next()).toEqual([])
    sent.length = 0
    const one = await ada.upload({ size_bytes: 1 })
    expect(await log.next()).toEqual([passed(80, 80, 100)])
    expect(sent).toHaveLength(1)
    await ada.upload({ size_bytes: 1 })
    expect(
      await ada.startUpload({ upload_type: 'file', name: 'x', mime_type: 'a/b', size_bytes: 20 }),
    ).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect(await log.next()).toEqual([])
    await ada.upload({ size_bytes: 19 })
    expect(await log.next()).toEqual([passed(100, 100, 100)])
    await ada.abort(one)
    expect((await log.next()).map(([type]) => type)).toEqual(['upload.failed'])
    await ada.upload({ size_bytes: 1 })
    expect(await log.next()).toEqual([passed(100, 100, 100)])

    await giveQuotaWithEvents(ada, 1_000)
    expect(await log.next()).toEqual([])
    await giveQuotaWithEvents(ada, 125)
    expect(await log.next()).toEqual([passed(80, 100, 125)])
    await giveQuotaWithEvents(ada, 125)
    await giveQuotaWithEvents(ada, null)
    expect(await log.next()).toEqual([])
    await giveQuotaWithEvents(ada, 50)
    expect(await log.next()).toEqual([passed(80, 100, 50), passed(100, 100, 50)])
    const seqs = (await eventsAbout(ada.id))
      .filter(({ type }) => type === 'quota.threshold')
      .map(({ seq }) => seq)
    expect(new Set(seqs).size, 'places in the order').toBe(seqs.length)
  })

  it('is written by content in one request, and by a replacement for what it adds alone', async () => {
    await giveQuota(ada, 100)
    const thresholds = async () => (await log.next()).filter(([type]) => type === 'quota.threshold')
    const file = await ada.content('a', 'x'.repeat(79))
    expect(await thresholds()).toEqual([])
    expect((await ada.replaceContent(file, 'x'.repeat(80))).status).toBe(200)
    expect(await thresholds()).toEqual([passed(80, 80, 100)])
    expect((await ada.replaceContent(file, 'y'.repeat(80))).status).toBe(200)
    expect(await thresholds()).toEqual([])
    await ada.content('b', 'x'.repeat(20))
    expect(await thresholds()).toEqual([passed(100, 100, 100)])
  })

  it('is written by a branch', async () => {
    const source = await bob.asset('castle', { visibility: 'public' }, 'x'.repeat(90))
    await giveQuota(ada, 100)
    await ada.branched(source)
    expect((await log.next()).filter(([type]) => type === 'quota.threshold')).toEqual([passed(80, 90, 100)])
  })

  async function giveQuotaWithEvents(user: User, limit_bytes: number | null): Promise<void> {
    const admin = (await operator('quota:write')).through(service)
    expect((await admin.request('PUT', `/users/${user.id}/quota`, { json: { limit_bytes } })).status).toBe(
      200,
    )
  }

  it('is written once when uploads pass it at the same time', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const work = contextOf(newUserId(), {}, configWithEvents({ DEFAULT_QUOTA_BYTES: 100 }))
      const outcomes = await race(
        seed,
        Array.from({ length: 12 }, () => () => upload(work, null, 10)),
      )
      expect(outcomes.filter(({ code }) => code === 'QUOTA_EXCEEDED')).toHaveLength(2)
      const events = await eventsAbout(work.user_id)
      expect(events.map(({ data }) => [data.threshold_percent, data.used_bytes]).sort()).toEqual([
        [100, 100],
        [80, 80],
      ])
    }
  })
})
