import { beforeEach, describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { databaseNames, placeOf } from '../support/databases.ts'
import { configWithEvents, EventLog, eventsAbout, serviceWithEvents } from '../support/events.ts'
import { runJobIn } from '../support/objects.ts'
import { records } from '../support/records.ts'
import { openAccount, seedVersions } from '../support/seed.ts'
import { operator, type User } from '../support/user.ts'

const { service, sent } = serviceWithEvents()

let ada: Creator
let bob: Creator
let moderator: User
let log: EventLog

beforeEach(async () => {
  ;[ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
  moderator = (await operator('content:moderate')).through(service)
  log = new EventLog(ada, bob)
})

const key = (text: string) => ({ 'Idempotency-Key': text })
const typesOf = (events: [type: string, data: unknown][]) => events.map(([type]) => type)

describe('asset.created', () => {
  it('is written once for an asset, also when the request is repeated, and not when it is refused', async () => {
    const asset = { name: 'castle', type: 'world' }
    sent.length = 0
    const { id } = made(records.GameAsset, await ada.createAsset(asset, key('castle')), 201)
    const data = { asset_id: id, owner_id: ada.id, type: 'world', visibility: 'private' }
    expect(await log.next()).toEqual([['asset.created', { ...data, branched_from_asset_id: null }]])
    const home = databaseNames[placeOf(ada.id)]
    expect(sent).toEqual([{ kind: 'events', database: home }])

    expect(await ada.createAsset(asset, key('castle'))).toMatchObject({ status: 201 })
    expect(await ada.createAsset(asset)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    expect((await bob.restoreAsset(id)).status).toBe(404)
    expect((await ada.restoreAsset(id)).status).toBe(200)
    expect(await log.next()).toEqual([])
    expect(sent).toHaveLength(1)
  })

  it('comes with an upload of a new asset, in the order in which it happens, and not before', async () => {
    const upload = await ada.sent({ name: 'castle', asset_type: 'world', visibility: 'public' })
    expect(await log.next()).toEqual([])
    await Promise.all([ada.complete(upload), ada.complete(upload)])
    const events = await eventsAbout(ada.id)
    expect(events.map(({ type }) => type)).toEqual([
      'asset.created',
      'asset.version_added',
      'asset.published',
      'upload.completed',
    ])
    expect(new Set(events.map(({ resource_id }) => resource_id)).size).toBe(1)
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })

  it('is not written when a completion is refused', async () => {
    await ada.emptyAsset('castle')
    await log.next()
    const upload = await ada.sent({ name: 'castle 2', asset_type: 'world' })
    expect(await ada.complete(upload, { name: 'castle' })).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    expect(await log.next()).toEqual([])
  })

  it('comes with a branch, which names its source', async () => {
    const source = await ada.asset('castle', { visibility: 'public' })
    await log.next()
    const { asset } = await bob.branched(source)
    const events = await log.next()
    expect(typesOf(events)).toEqual(['asset.created', 'asset.version_added'])
    expect(events[0]?.[1]).toMatchObject({ asset_id: asset.id, branched_from_asset_id: source.id })

    await giveQuota(bob, 1)
    expect(await bob.branch(source, { name: 'another' })).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect(typesOf(await log.next())).not.toContain('asset.created')
  })
})

describe('asset.published', () => {
  it('tells each time that others can see an asset, and could not before', async () => {
    const { id } = await ada.emptyAsset('castle', { visibility: 'public' })
    const published = ['asset.published', { asset_id: id, owner_id: ada.id, type: 'world' }]
    expect(await log.next()).toContainEqual(published)
    const happensAt = async (act: () => Promise<{ status: number }>) => {
      expect((await act()).status).toBeLessThan(300)
      return (await log.next()).filter(([type]) => type === 'asset.published')
    }
    const block = (method: string) => () => moderator.request(method, `/game/assets/${id}/block`)

    expect(await happensAt(() => ada.editAsset(id, { name: 'fortress' }))).toEqual([])
    expect(await happensAt(() => ada.editAsset(id, { visibility: 'public' }))).toEqual([])
    expect(await happensAt(() => ada.editAsset(id, { visibility: 'private' }))).toEqual([])
    expect(await happensAt(() => ada.editAsset(id, { visibility: 'public' }))).toEqual([published])
    await ada.deleteAsset(id)
    expect(await happensAt(() => ada.restoreAsset(id))).toEqual([published])
    expect(await happensAt(() => ada.restoreAsset(id))).toEqual([])
    expect(await happensAt(block('PUT'))).toEqual([])
    expect(await happensAt(block('DELETE'))).toEqual([published])
    expect(await happensAt(block('DELETE'))).toEqual([])

    expect(await happensAt(() => ada.editAsset(id, { visibility: 'private' }))).toEqual([])
    expect(await happensAt(block('PUT'))).toEqual([])
    expect(await happensAt(() => ada.editAsset(id, { visibility: 'public' }))).toEqual([])
    expect(await happensAt(block('DELETE'))).toEqual([published])
    expect(await bob.editAsset(id, { visibility: 'public' })).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await log.next()).toEqual([])
  })
})

describe('asset.version_added', () => {
  it('is written once for each version, that of a rollback too', async () => {
    const { id } = await ada.asset('castle')
    await ada.version(id, 'two')
    await log.next()
    const back = await ada.rollBack(id, { from_version: 1 }, key('back'))
    expect(back.status).toBe(201)
    const data = { asset_id: id, owner_id: ada.id, version: 3, size_bytes: 7 }
    expect(await log.next()).toMatchObject([['asset.version_added', data]])
    expect((await ada.rollBack(id, { from_version: 1 }, key('back'))).status).toBe(201)
    expect(await ada.rollBack(id, { from_version: 9 })).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await log.next()).toEqual([])
    const versions = (await eventsAbout(ada.id)).filter(({ type }) => type === 'asset.version_added')
    expect(versions.map(({ data }) => data.version)).toEqual([1, 2, 3])
  })
})

describe('asset.released', () => {
  it('is written when others get another version, because live is set or deleted, and not otherwise', async () => {
    const { id } = await ada.asset('castle')
    for (const content of ['two', 'three']) await ada.version(id, content)
    await log.next()
    const released = (version: number, previous_version: number) => [
      ['asset.released', { asset_id: id, owner_id: ada.id, version, previous_version }],
    ]
    await ada.release(id, 3)
    await ada.release(id, 1, 'beta')
    expect(await log.next()).toEqual([])
    await ada.release(id, 1)
    expect(await log.next()).toEqual(released(1, 3))
    await ada.release(id, 1)
    await ada.deleteChannel(id, 'beta')
    expect(await ada.putChannel(id, 'live', 4)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await ada.putChannel(id, 'live', 2, { 'If-Match': '"1"' })).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await bob.deleteChannel(id, 'live')).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await log.next()).toEqual([])
    await ada.release(id, 2)
    expect(await log.next()).toEqual(released(2, 1))
    await ada.deleteChannel(id, 'live')
    expect(await log.next()).toEqual(released(3, 2))
    await ada.release(id, 3)
    expect((await ada.deleteChannel(id, 'live')).status).toBe(204)
    expect(await log.next()).toEqual([])
  })
})

describe('asset.version_deleted', () => {
  it('is written once for each version that is deleted alone, and not when it is refused', async () => {
    const { id } = await ada.asset('castle')
    const version = await ada.version(id, 'two')
    await ada.rollBack(id, { from_version: 1 })
    await log.next()
    expect(await ada.deleteVersion(id, 3)).toBeProblem(409, 'VERSION_IS_CURRENT')
    expect(await ada.deleteVersion(id, 2, { 'If-Match': '"99"' })).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await bob.deleteVersion(id, 2)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await log.next()).toEqual([])
    expect((await ada.deleteVersion(id, 2)).status).toBe(204)
    const data = { asset_id: id, owner_id: ada.id, version_id: version.id, version: 2 }
    expect(await log.next()).toEqual([['asset.version_deleted', data]])
    expect(await ada.deleteVersion(id, 2)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await log.next()).toEqual([])
  })

  it('is not written for versions that go with their asset', async () => {
    const { id } = await ada.asset('castle')
    await ada.version(id)
    await log.next()
    await ada.deleteAsset(id, '?permanent=true')
    await runJobIn(0, configWithEvents())
    expect(typesOf(await log.next())).toEqual(['asset.deleted'])
  })
})

describe('asset.deleted', () => {
  const deleted = (id: string, permanent: boolean) => [
    'asset.deleted',
    { asset_id: id, owner_id: ada.id, permanent },
  ]

  it('is written once when the asset goes to the trash, and once when it is gone for good', async () => {
    const { id } = await ada.asset('castle')
    await log.next()
    expect(await bob.deleteAsset(id)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect((await ada.deleteAsset(id)).status).toBe(204)
    expect(await ada.deleteAsset(id)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await log.next()).toEqual([deleted(id, false)])
    expect((await ada.deleteAsset(id, '?permanent=true')).status).toBe(204)
    expect(await ada.deleteAsset(id, '?permanent=true')).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await log.next()).toEqual([deleted(id, true)])
    await runJobIn(0, configWithEvents())
    expect(await log.next()).toEqual([])
  })

  it('is written once for an asset whose many versions go in several steps, with the last of them', async () => {
    const { id } = await ada.emptyAsset('castle')
    await openAccount(ada.id)
    await seedVersions(id, 700)
    await log.next()
    expect((await ada.deleteAsset(id, '?permanent=true')).status).toBe(204)
    expect(await log.next()).toEqual([])
    await runJobIn(0, configWithEvents())
    expect(await log.next()).toEqual([deleted(id, true)])
  })

  it('is written by the job when the trash expires', async () => {
    const { id } = await ada.asset('castle')
    await ada.deleteAsset(id)
    await log.next()
    const config = configWithEvents()
    await runJobIn(0, config)
    expect(await log.next()).toEqual([])
    await runJobIn(31, config)
    await runJobIn(31, config)
    expect(await log.next()).toEqual([deleted(id, true)])
  })
})
