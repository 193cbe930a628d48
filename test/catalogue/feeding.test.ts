import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectCatalogue } from '../support/catalogue.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { isCatalogueApart, learnLayOut, overEvery } from '../support/databases.ts'
import { DUE } from '../support/favorites.ts'
import { meteredDatabase } from '../support/meter.ts'
import { toNextSecond } from '../support/next-second.ts'
import { runJobIn } from '../support/objects.ts'
import { ihdr, pngOf } from '../support/pictures.ts'
import { serviceWith } from '../support/service.ts'
import { operator, type User } from '../support/user.ts'

let ada: Creator
let bob: Creator
let moderator: User

beforeAll(async () => {
  ;[ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  moderator = await operator('content:moderate')
})

const moderate = async (method: 'PUT' | 'DELETE', { id }: { id: string }) =>
  expect((await moderator.request(method, `/game/assets/${id}/block`)).status).toBe(204)

let made = 0
/** A name, and a tag, that no other asset has. */
const fresh = () => ({ name: `Maze ${++made} of doom`, tags: [`tag-${made}`, 'horror'] })

/** The lists on which an asset is, or would be: in every sort, by its facets and by its name. */
function listsOf({ name, tags, owner_id }: { name: string; tags: string[]; owner_id: string }): string[] {
  const q = encodeURIComponent(name)
  return [
    '',
    'sort=updated',
    'sort=popular',
    'type=world',
    `q=${q}`,
    `q=${q}&type=world&tag=${tags[0]}`,
    `tag=${tags[0]}`,
    `tag=${tags[0]}&tag=${tags[1]}&sort=popular`,
    `tag=${tags[0]}&exclude_tag=cosy&sort=updated`,
    `owner_id=${owner_id}`,
  ].map((query) => `/public?limit=100&${query}`)
}

/** Fails unless all lists that would have the asset do, or none does. Returns it as a list has it. */
async function expectOn(user: Creator, asset: Parameters<typeof listsOf>[0] & { id: string }, isOn: boolean) {
  let found: unknown
  for (const list of listsOf(asset)) {
    const { assets } = await user.assets(list)
    const on = assets.find(({ id }) => id === asset.id)
    expect(on !== undefined, `${list} has it`).toBe(isOn)
    found = on ?? found
  }
  return found
}

const publicAsset = () => ada.emptyAsset(undefined, { ...fresh(), visibility: 'public' })

describe('what comes into the catalogue', () => {
  it('is on the next page of its publisher: created, edited, relisted, restored, unblocked or uploaded', async () => {
    const asset = await publicAsset()
    await expectOn(ada, asset, true)

    await ada.editAsset(asset, { visibility: 'private' })
    await ada.editAsset(asset, { visibility: 'public' })
    await expectOn(ada, asset, true)

    await ada.editAsset(asset, { listed: false })
    await ada.editAsset(asset, { listed: true })
    await expectOn(ada, asset, true)

    await ada.deleteAsset(asset)
    await ada.restoreAsset(asset)
    await expectOn(ada, asset, true)

    await moderate('PUT', asset)
    await moderate('DELETE', asset)
    await expectOn(ada, asset, true)

    await expectOn(ada, await ada.asset('Uploaded', { ...fresh(), visibility: 'public' }), true)
    await expectCatalogue()
  })

  it('shows its new name, tags, version and preview at once', async () => {
    const asset = await publicAsset()
    const changes = fresh()
    await ada.editAsset(asset, changes)
    expect(await expectOn(bob, { ...asset, ...changes }, true)).toMatchObject(changes)
    expect((await ada.assets(listsOf(asset)[6] ?? '')).assets).toEqual([])
    await ada.version(asset, 'content')
    expect(await expectOn(bob, { ...asset, ...changes }, true)).toMatchObject({ current_version: 1 })
    await ada.previewed(asset, pngOf(ihdr(16, 9)))
    expect(await expectOn(bob, { ...asset, ...changes }, true)).toMatchObject({
      preview_url: expect.any(String),
      preview_width: 16,
      preview_height: 9,
    })
    await expectCatalogue()
  })
})

describe('what goes out of the catalogue', () => {
  it.each([
    ['unpublished', (asset: { id: string }) => ada.editAsset(asset, { visibility: 'private' })],
    ['unlisted', (asset: { id: string }) => ada.editAsset(asset, { listed: false })],
    ['blocked', (asset: { id: string }) => moderate('PUT', asset)],
    ['deleted', (asset: { id: string }) => ada.deleteAsset(asset)],
    ['deleted for good', (asset: { id: string }) => ada.deleteAsset(asset, '?permanent=true')],
  ])('is on no further page of anybody when it is %s', async (_, remove) => {
    const asset = await publicAsset()
    await remove(asset)
    for (const user of [bob, ada]) await expectOn(user, asset, false)
    await expectCatalogue()
  })

  it('is all that a user has when the user is erased, before and after the rows are gone', async () => {
    const eve = await signUpCreator('eve')
    const assets = [
      await eve.emptyAsset('one', { ...fresh(), visibility: 'public' }),
      await eve.emptyAsset('two', { ...fresh(), visibility: 'public' }),
    ]
    const erasing = await operator('users:erase')
    expect((await erasing.request('DELETE', `/users/${eve.id}`)).status).toBe(202)
    for (const asset of assets) await expectOn(bob, asset, false)
    await runJobIn(1)
    for (const asset of assets) await expectOn(bob, asset, false)
    await expectCatalogue()
  })
})

interface Cost {
  trips: number
  rows_written: number
}

/** The Worker over metered databases, whose work after an answer is done when the answer comes. */
function metered() {
  let cost: Cost = { trips: 0, rows_written: 0 }
  const databases = overEvery((database) =>
    meteredDatabase(database, (results) => {
      cost.trips++
      for (const { meta } of results) cost.rows_written += meta.rows_written
    }),
  )
  learnLayOut(databases)
  const contexts: ExecutionContext[] = []
  const context = () => {
    const ctx = createExecutionContext()
    contexts.push(ctx)
    return ctx
  }
  const service = serviceWith(databases, undefined, context)
  return {
    service: async (request: Request) => {
      const response = await service(request)
      for (const ctx of contexts.splice(0)) await waitOnExecutionContext(ctx)
      return response
    },
    async of(work: () => Promise<unknown>): Promise<Cost> {
      cost = { trips: 0, rows_written: 0 }
      await work()
      return cost
    },
  }
}

afterEach(() => void vi.restoreAllMocks())

describe('feeding the catalogue', () => {
  it('costs no trip when it is near, and writes a bounded number of rows', async () => {
    const { service, of } = metered()
    const carol = await signUpCreator('carol', service)
    await carol.emptyAsset('first', { visibility: 'public' })
    const asset = await carol.emptyAsset('private', fresh())
    const moderating = moderator.through(service)
    const later = async (work: () => Promise<unknown>) => {
      toNextSecond()
      return of(work)
    }
    const costs = {
      created: await of(() => carol.emptyAsset('public', { ...fresh(), visibility: 'public' })),
      private: await of(() => carol.editAsset(asset, { description: 'nothing shows it' })),
      published: await of(() => carol.editAsset(asset, { visibility: 'public' })),
      renamed: await later(() => carol.editAsset(asset, { name: 'another' })),
      described: await later(() => carol.editAsset(asset, { description: 'new' })),
      unpublished: await of(() => carol.editAsset(asset, { visibility: 'private' })),
      again: await of(() => carol.editAsset(asset, { visibility: 'public' })),
      blocked: await of(() => moderating.request('PUT', `/game/assets/${asset.id}/block`)),
      unblocked: await of(() => moderating.request('DELETE', `/game/assets/${asset.id}/block`)),
      deleted: await of(() => carol.deleteAsset(asset)),
    }
    // Far: the entry, and the deletion of the mark after the answer. A removal sets the mark and removes the entry before.
    const [trips, more] = isCatalogueApart
      ? [3, { trips: 5, rows_written: 3 }]
      : [1, { trips: 1, rows_written: 0 }]
    const removed = (rows_written: number) => ({
      trips: more.trips,
      rows_written: rows_written + more.rows_written,
    })
    const audited = (cost: { trips: number; rows_written: number }) => ({
      trips: cost.trips + 2,
      rows_written: cost.rows_written + 5,
    })
    expect(costs).toEqual({
      created: { trips, rows_written: 14 },
      private: { trips: 1, rows_written: 1 },
      published: { trips, rows_written: 11 },
      renamed: { trips, rows_written: 12 },
      described: { trips, rows_written: 7 },
      unpublished: removed(11),
      again: { trips, rows_written: 11 },
      // With its entry in the audit: a trip before it and one after it.
      blocked: audited(removed(15)),
      unblocked: audited({ trips, rows_written: 11 }),
      deleted: removed(13),
    })
  })

  it('follows favorites when they are counted again', async () => {
    const asset = await publicAsset()
    const liked = await bob.request('PUT', `/game/assets/${asset.id}/favorite`)
    expect(liked.status, liked.text).toBeLessThan(300)
    await runJobIn(DUE)
    expect(await expectOn(ada, asset, true)).toMatchObject({ favorites: 1 })
    await expectCatalogue()
  })
})
