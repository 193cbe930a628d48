import { z } from '@hono/zod-openapi'
import { base64url } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { databaseNames, databaseOf, placeOf } from '../support/databases.ts'
import { type Cost, meter } from '../support/meter.ts'
import { nextSecond } from '../support/next-second.ts'
import { PurgingSteps, STEP } from '../support/purging-steps.ts'
import { records } from '../support/records.ts'
import { hintBranches, openAccount, roomy, seedAssets, seededAsset, seedVersions } from '../support/seed.ts'
import { operator, type User } from '../support/user.ts'

const { service, of } = meter({ ...roomy, MAX_VERSIONS_PER_ASSET: String(1e6) })

let ada: Creator
let bob: Creator
let moderator: User

beforeAll(async () => {
  ;[ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
  moderator = (await operator('content:moderate')).through(service)
  await openAccount(bob.id)
  // The first branch would meet empty tables in bob’s database, where a row fewer is read.
  if (DATABASES > 1) await bob.branched(await ada.asset('first', { visibility: 'public' }))
})

const DATABASES = databaseNames.length

/** What each request cost the first time, when there was the least. */
const firstCosts = new Map<string, Cost>()

/** Holds a cost against its budget, and against what the same request cost when there was less. */
function expectWithin(request: string, cost: Cost, budget: Partial<Cost>): void {
  const { trips = 1, r2_calls = 0 } = budget
  expect(cost, request).toMatchObject({ trips, r2_calls })
  expect(cost.rows_read, request).toBeLessThanOrEqual(budget.rows_read ?? 0)
  expect(cost.rows_written, request).toBeLessThanOrEqual(budget.rows_written ?? 0)
  const first = firstCosts.get(request) ?? cost
  firstCosts.set(request, first)
  // Where facets are combined, a page of the catalogue meets up to eight stops (docs/catalogue.md), each a row.
  const stops = /public\?q=\w+&type=/.test(request) ? cost.rows_read - first.rows_read : 0
  expect(stops, request).toBeLessThanOrEqual(8)
  expect({ ...cost, rows_read: cost.rows_read - stops }, `${request}, as with less`).toEqual(first)
}

const AnyPage = z.union([records.GameAssetPage, records.BranchPage, records.VersionPage])

/** A page of a list under /v1/game, and what it cost. */
async function pageOf(user: User, path: string, query: Record<string, string>) {
  let page = { found: 0, next_cursor: null as string | null }
  const cost = await of(async () => {
    const answer = await user.get(
      `/game${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`,
    )
    const { next_cursor, ...items } = made(AnyPage, answer, 200)
    page = { found: Object.values(items).flat().length, next_cursor }
  })
  return { ...page, cost }
}

/**
 * A list's pages of 1, 50 and 100, each from the beginning and from the middle, where the cursor is moved to: to half
 * of its key, or, in the order of ids, to that id.
 */
async function* pagesOf(user: User, path: string, middle: string) {
  for (const limit of [1, 50, 100]) {
    const first = await pageOf(user, path, { limit: String(limit) })
    yield { ...first, limit, title: `${path}, first page of ${limit}` }
    if (first.next_cursor === null) continue
    const [list, key]: unknown[] = JSON.parse(new TextDecoder().decode(base64url.decode(first.next_cursor)))
    const at = typeof key === 'number' ? Math.floor(key / 2) : key && placeInCatalogue(middle)
    const position = [list, at, middle]
    const cursor = base64url.encode(JSON.stringify(position))
    const title = `${path}, page of ${limit} in the middle`
    yield { ...(await pageOf(user, path, { limit: String(limit), cursor })), limit, title }
  }
}

/** The position of a seeded asset in the catalogue: the time in its id is its number, and each third has another time. */
function placeInCatalogue(id: string): string {
  const number = Number.parseInt(id.replace('-', '').slice(0, 12), 16) - 1_700_000_000_000
  return (BigInt(1_700_000_000 - 1_577_836_800 + Math.floor(number / 3)) << 32n).toString()
}

/** What asking how rare trigrams are costs, and what looking through a window of names does (see budgets-search). */
const SAMPLED = 8 * (64 + 2) + 20
const MOST_SEARCHED = 3 * 1_000 + SAMPLED + 100

/** Whether all names that have a trigram of it contain it: then a page costs what it holds. */
const isCommon = (q: string) => ['forest', 'castle', 'quartz', 'zephyr', 'nowhere'].includes(q)

/** How many assets have been seeded; the next size adds to them. */
let seeded = 0

describe.each([1_000, 100_000])('with %i assets, and as many deleted', (size) => {
  const middle = size / 2

  beforeAll(async () => {
    const numbers = { owner_id: ada.id, from: seeded + 1, to: size }
    await seedAssets({ ...numbers, prefix: 'listed' })
    await seedAssets({ ...numbers, prefix: 'deleted', is_deleted: true })
    seeded = size
    // It seeds up to 100,000 assets.
  }, 300_000)

  it.each([
    '/assets',
    '/assets?type=prop',
    '/assets?deleted=true',
    '/assets?deleted=true&type=prop',
    '/public',
    '/public?type=prop',
    '/public?q=f',
    '/public?q=f&type=prop',
    '/public?q=z',
    '/public?q=fo',
    '/public?q=fo&type=prop',
  ])('a page of %s costs one trip and 2n + 10 rows at most, the same as with fewer', async (path) => {
    const id = seededAsset(ada.id, path.includes('deleted') ? 'deleted' : 'listed', middle)
    for await (const { title, limit, cost } of pagesOf(ada, path, id))
      expectWithin(title, cost, { rows_read: 2 * limit + 10 })
  })

  it.each(['forest', 'castle', 'quartz', 'zephyr', 'zephyr forest', '0000123', 'nowhere'])(
    'a page of a search for "%s" costs one trip and a bounded number of rows, of one type and from the middle on, too',
    async (q) => {
      for (const path of [`/public?q=${q}`, `/public?q=${q}&type=prop`])
        for await (const { title, limit, found, cost } of pagesOf(
          ada,
          path,
          seededAsset(ada.id, 'listed', middle),
        )) {
          console.log(`${size} assets, ${title}: ${found} found, ${cost.rows_read} rows read`)
          if (q === 'forest') expect(found, `${title}: nine of ten names have it`).toBe(limit)
          expect(cost, title).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 0 })
          const bound = !isCommon(q)
            ? MOST_SEARCHED
            : path.includes('type=')
              ? 9 * found + SAMPLED
              : 3 * found + SAMPLED
          expect(cost.rows_read, title).toBeLessThanOrEqual(bound)
        }
    },
  )

  it('every other request costs the same few rows', async () => {
    const asset = seededAsset(ada.id, 'listed', middle)
    await seedVersions(asset, 20)
    const as = (name: string) => ({ name: `${name} of ${size}` })
    const key = (name: string) => ({ 'Idempotency-Key': `${name} of ${size}` })
    const costs = async (
      request: string,
      [rows_read, rows_written]: [number, number],
      send: () => Promise<Answer>,
      more: Partial<Cost> = {},
    ) => {
      const cost = await of(async () => {
        const { status, text } = await send()
        expect(status, `${request}: ${text}`).toBeLessThan(300)
      })
      expectWithin(request, cost, { rows_read, rows_written, ...more })
    }

    await costs('get, owner', [30, 0], () => ada.readAsset(asset))
    await costs('get, stranger', [30, 0], () => bob.readAsset(asset))
    await costs('public get', [30, 0], () => bob.get(`/game/public/prop/${asset}`))
    await costs('get a version', [30, 0], () => bob.get(`/game/assets/${asset}/versions/3`))
    await costs('version URL', [30, 0], () => bob.get(`/game/assets/${asset}/versions/3/url`))

    // One row of each is the user's counters: of public assets, versions or keys. Of a public asset, up to nine are the
    // catalogue's: the entry, its place in three sorts and among the names, and a mark that is set and deleted.
    const content = { type: 'prop', visibility: 'public' }
    await costs('create', [40, 15], () => ada.createAsset({ ...as('new'), ...content }))
    await costs('create with a key', [40, 18], () =>
      ada.createAsset({ ...as('with key'), ...content }, key('create')),
    )
    await costs('rename', [40, 12], () => ada.editAsset(asset, as('renamed')))
    await costs('set private', [40, 11], () => ada.editAsset(asset, { visibility: 'private' }))
    await costs('set public', [40, 11], () => ada.editAsset(asset, { visibility: 'public' }))
    await costs('delete', [40, 13], () => ada.deleteAsset(asset))
    await costs('restore', [40, 13], () => ada.restoreAsset(asset, as('restored')))
    await costs('block', [40, 15], () => moderator.request('PUT', `/game/assets/${asset}/block`))
    await costs('unblock', [40, 11], () => moderator.request('DELETE', `/game/assets/${asset}/block`))
    // Two rows of each are its place among the last updated, which moves unless the change before was in the same second.
    await nextSecond()
    await costs('roll back', [40, 11], () => ada.rollBack(asset, { from_version: 1 }))
    await nextSecond()
    await costs('roll back with a key', [40, 14], () =>
      ada.rollBack(asset, { from_version: 1 }, key('roll back')),
    )

    // The version with its two indexes, its object on the garbage list with its turn, the asset twice (its count, its
    // revision), its mark for the catalogue, and the user's counters.
    await costs('delete a version', [40, 9], () => ada.deleteVersion(asset, 5))

    // A look at the source and at the caller's home, the marker, then hint and branch. In two databases: two looks at once,
    // and the hint in a trip of its own.
    const across = { trips: DATABASES > 1 ? 4 : 2, r2_calls: 1, rows_read: 60 }
    const first = { ...across, rows_written: 16 }
    await costs('branch', [60, 13], () => bob.branch(asset, as('branch')), first)
    await costs(
      'branch an old version',
      [60, 13],
      () => bob.branch(asset, { ...as('old branch'), from_version: 2 }),
      across,
    )
    await costs(
      'branch with a key',
      [60, 16],
      () => bob.branch(asset, as('branch with key'), key('branch')),
      across,
    )
  })

  it('a step of the job costs what it changes', async () => {
    const steps = new PurgingSteps(ada.id)
    expect(await steps.mark()).toBe(STEP)
    expect(await steps.purge()).toBe(STEP)
    console.log(
      `${size} deleted assets, ${STEP} of them marked, then removed: ${JSON.stringify(steps.costs)}`,
    )
    for (const { rows_read, rows_written } of steps.costs) {
      expect(rows_read).toBeLessThanOrEqual(10 * STEP)
      expect(rows_written).toBeLessThanOrEqual(5 * STEP)
    }
  })
})

describe.each([1_000, 10_000])('with %i versions', (count) => {
  it('a page of them costs one trip and 2n + 10 rows at most, and the asset with its newest no more', async () => {
    const { id } = await ada.emptyAsset(`with ${count} versions`, { visibility: 'public' })
    await seedVersions(id, count)
    for (const [who, user] of Object.entries({ owner: ada, stranger: bob })) {
      for await (const { title, limit, found, cost } of pagesOf(user, `/assets/${id}/versions`, id)) {
        expect(found).toBe(limit)
        expectWithin(title.replace(id, who), cost, { rows_read: 2 * limit + 10 })
      }
      expectWithin(`get, ${who}`, await of(() => user.get(`/game/assets/${id}`)), { rows_read: 30 })
    }
  })

  it('the asset is deleted for good in bounded steps, the request’s own and the job’s', async () => {
    const { id } = await ada.emptyAsset(`with ${count} versions, for a time`)
    await seedVersions(id, count)
    const request = await of(() => ada.deleteAsset(id, '?permanent=true'))
    expect(request).toMatchObject({ trips: 2, r2_calls: 0 })
    const steps = new PurgingSteps(ada.id)
    while ((await steps.purge()) > 0);
    const [read, written] = [steps.most('rows_read'), steps.most('rows_written')]
    console.log(
      `${count} versions: the request ${JSON.stringify(request)}, the largest step ${read} read, ${written} written`,
    )
    expect(await ada.readAsset(id)).toBeProblem(404, 'ASSET_NOT_FOUND')
    // Twelve rows a version, and what the statements read once: the marked asset and the triggers' first look.
    expect(Math.max(request.rows_read, read)).toBeLessThanOrEqual(12 * STEP + 10)
    // The row, its two indexes, its object on the garbage list with its turn, and the user's two counters.
    expect(Math.max(request.rows_written, written)).toBeLessThanOrEqual(7 * STEP)
    const left = databaseOf(id).prepare('SELECT count(*) AS count FROM asset_versions WHERE asset_id = ?')
    expect(await left.bind(id).first('count')).toBe(0)
  })
})

describe.each([10, 100_000])('with %i private branches of others', (count) => {
  it('a page of the branches costs one trip and 2n + 10 rows at most', async () => {
    const source = await ada.emptyAsset(`branched ${count} times`, { visibility: 'public' })
    const [brancher, others] = [await signUpCreator('brancher', service), await signUpCreator('others')]
    const branches = { prefix: `branch-${count}`, branched_from: source.id }
    const hidden = { ...branches, visibility: 'private' as const }
    await seedAssets({ ...branches, owner_id: others.id, from: 1, to: 500 })
    await seedAssets({ ...hidden, owner_id: brancher.id, from: 501, to: 1_000 })
    await seedAssets({ ...hidden, owner_id: others.id, from: 1_001, to: 1_000 + count })
    await hintBranches(source.id, [brancher.id, others.id])
    // The source's database with its hints and branches, then the others that have branches.
    const hinted = new Set([ada, brancher, others].map(({ id }) => placeOf(id))).size
    const trips = hinted
    const path = `/assets/${source.id}/branches`
    for (const [who, user] of Object.entries({ owner: ada, brancher, stranger: bob }))
      for await (const { title, limit, found, cost } of pagesOf(
        user,
        path,
        seededAsset(brancher.id, branches.prefix, 800),
      )) {
        expect(found).toBe(limit)
        expectWithin(title.replace(source.id, who), cost, { trips, rows_read: hinted * (2 * limit + 10) })
      }
  })
})
