import { z } from '@hono/zod-openapi'
import { base64url } from 'jose'
import { Channel } from '../../../src/features/assets/release-schema.ts'
import { made } from '../answer.ts'
import { type Creator, signUpCreator } from '../creator.ts'
import { databaseOf, everywhere, homeOf } from '../databases.ts'
import { newKey } from '../ids.ts'
import { toNextSecond } from '../next-second.ts'
import { PurgingSteps, STEP } from '../purging-steps.ts'
import { records, Upload } from '../records.ts'
import { hintBranches, seedAssets, seededAsset, seedVersions } from '../seed.ts'
import { operator, put, type User } from '../user.ts'
import { audited, type Budget, type Measuring } from './measure.ts'
import { FEW, type World } from './world.ts'

const list = (limit: number): Budget => ({
  trips: 1,
  rows_read: 2 * limit + 10,
  rows_written: 0,
  r2_calls: 0,
})
const Page = z.object({ next_cursor: z.string().nullable() })

/**
 * Measures a list's pages of 1, 50 and 100, each from the beginning and from the middle, where the cursor is moved to: to half of
 * its key, or, in the order of ids, to that id.
 */
async function measureList(
  { measure }: Measuring,
  request: string,
  user: User,
  path: string,
  middle: string,
  budget: (limit: number) => Budget = list,
): Promise<void> {
  for (const limit of [1, 50, 100]) {
    const page = `/game${path}${path.includes('?') ? '&' : '?'}limit=${limit}`
    const first = await measure(request, () => user.get(page), 200, budget(limit))
    const { next_cursor } = Page.parse(first.body)
    if (next_cursor === null) continue
    const [of, key]: unknown[] = JSON.parse(new TextDecoder().decode(base64url.decode(next_cursor)))
    const at = typeof key === 'number' ? Math.floor(key / 2) : key && placeInCatalogue(middle)
    const cursor = base64url.encode(JSON.stringify([of, at, middle]))
    await measure(request, () => user.get(`${page}&cursor=${cursor}`), 200, budget(limit))
  }
}

/** The position of a seeded asset in the catalogue: the time in its id is its number, and each third has another time. */
function placeInCatalogue(id: string): string {
  const number = Number.parseInt(id.replace('-', '').slice(0, 12), 16) - 1_700_000_000_000
  return (BigInt(1_700_000_000 - 1_577_836_800 + Math.floor(number / 3)) << 32n).toString()
}

/** What asking how rare trigrams are costs, and what looking through a window of names does. */
const SAMPLED = 8 * (64 + 2) + 20
const MOST_SEARCHED = 3 * 1_000 + SAMPLED + 100

/** Measures lists and searches of assets, and changes of one of many. */
export async function measureAssets(costs: Measuring, world: World): Promise<void> {
  const { ada, bob, count } = world
  const middle = (prefix: string) => seededAsset(ada.id, `${prefix} ${count}`, count / 2)
  for (const type of ['', 'type=prop']) {
    await measureList(costs, 'list own assets in pages', ada, `/assets?${type}`, middle('listed'))
    await measureList(
      costs,
      'list own deleted assets',
      ada,
      `/assets?deleted=true&${type}`,
      middle('deleted'),
    )
    for (const q of ['', 'q=f&', 'q=z&', 'q=fo&'])
      await measureList(
        costs,
        'browse, also by the first letters',
        bob,
        `/public?${q}${type}`,
        middle('listed'),
        (limit) => ({
          ...list(limit),
          varies: 'many', // by the stops of the catalogue that it meets (docs/catalogue.md), up to eight
        }),
      )
    // Nine of ten names have "forest", a tenth "castle"; some have "quartz"; no other name has what is left of these.
    for (const q of ['forest', 'castle', 'quartz', 'zephyr', 'nowhere', 'zephyr forest', '0000123'])
      await measureList(
        costs,
        `search for ${q}`,
        bob,
        `/public?q=${q}&${type}`,
        middle('listed'),
        (limit) => ({
          trips: 1,
          rows_read: /[ 0]/.test(q) ? MOST_SEARCHED : (type ? 9 : 3) * limit + SAMPLED,
          rows_written: 0,
          r2_calls: 0,
          grows: true,
        }),
      )
  }
  await measureChanges(costs, world, middle('listed'))
  await measureVersions(costs, world)
  await measureBranches(costs, world)
  await measureSharedContent(costs, world)
  await measureFavorites(costs, count > FEW ? 900 : 1)
  await expectSteps(ada)
}

/** Requests about one asset of many. Of a public one, up to nine rows written are the catalogue's. */
async function measureChanges({ measure, service }: Measuring, { ada, bob, count }: World, asset: string) {
  await seedVersions(asset, 20)
  const moderator = await operator('content:moderate', service)
  const look: Budget = { trips: 1, rows_read: 30, rows_written: 0, r2_calls: 0 }
  const change = (rows_written: number): Budget => ({ trips: 1, rows_read: 40, rows_written, r2_calls: 0 })
  const path = `/game/assets/${asset}`
  const named = (name: string) => ({ name: `${name} of ${count}` })
  const edit = (json: object) => () => ada.editAsset(asset, json)
  await measure('get one of many assets', () => ada.readAsset(asset), 200, look)
  await measure('get a public asset by its type', () => bob.get(`/game/public/prop/${asset}`), 200, look)
  await measure('get a version', () => bob.get(`${path}/versions/3`), 200, look)
  const create = (name: string) => ({ ...named(name), type: 'prop', visibility: 'public' })
  await measure('create an asset', () => ada.createAsset(create('new')), 201, change(15))
  await measure(
    'create an asset with a key',
    () => ada.createAsset(create('other'), newKey()),
    201,
    change(18),
  )
  await measure('rename one of many assets', edit(named('renamed')), 200, change(12))
  await measure('rate an asset', edit({ rating: 'teen' }), 200, change(12))
  await measure('make an asset private', edit({ visibility: 'private' }), 200, change(11))
  await measure('make an asset public', edit({ visibility: 'public' }), 200, change(11))
  await measure('delete one of many assets', () => ada.deleteAsset(asset), 204, change(13))
  await measure(
    'restore one of many assets',
    () => ada.restoreAsset(asset, named('restored')),
    200,
    change(13),
  )
  await measure(
    'block one of many assets',
    () => moderator.request('PUT', `${path}/block`),
    204,
    audited(change(15)),
  )
  await measure(
    'lift the block of one of many',
    () => moderator.request('DELETE', `${path}/block`),
    204,
    audited(change(11)),
  )
  toNextSecond() // an asset that was updated in this second keeps its place among the last updated
  await measure('roll back an asset', () => ada.rollBack(asset, { from_version: 1 }), 201, change(11))
  toNextSecond()
  const back = () => ada.rollBack(asset, { from_version: 1 }, newKey())
  await measure('roll back an asset with a key', back, 201, change(14))
  await measure('delete a version', () => ada.deleteVersion(asset, 5), 204, change(12))
  // A look at the source and at the caller's home, the marker, then hint and branch.
  const branch = (rows_written: number): Budget => ({ rows_read: 60, rows_written, r2_calls: 1 })
  await measure('branch one of many assets', () => bob.branch(asset, named('branch')), 201, branch(16))
  const old = { ...named('old'), from_version: 2 }
  await measure('branch an old version', () => bob.branch(asset, old), 201, branch(13))
  await measure('branch with a key', () => bob.branch(asset, named('keyed'), newKey()), 201, branch(16))
  await measureReleases(measure, ada, bob, asset)
}

/** Requests about what players and testers get of a public asset of 20 versions and more. */
async function measureReleases(measure: Measuring['measure'], ada: Creator, bob: User, asset: string) {
  const look: Budget = { trips: 1, rows_read: 30, rows_written: 0, r2_calls: 0 }
  const change = (rows_written: number): Budget => ({ trips: 1, rows_read: 40, rows_written, r2_calls: 0 })
  const path = `/game/assets/${asset}`
  const release = (version: number) => () => ada.putChannel(asset, 'live', version)
  await measure('set the channel live of an asset', release(10), 200, change(12))
  await measure('release another version', release(12), 200, change(12))
  toNextSecond() // a release that others have not seen yet moves the asset in the order of updates
  const added = made(records.Version, await ada.rollBack(asset, { from_version: 1 }), 201)
  await measure('release a new version', release(added.version), 200, change(12))
  await measure(
    'roll back an asset with the channel live',
    () => ada.rollBack(asset, { from_version: 1 }),
    201,
    change(8),
  )
  const beta = await measure(
    'set a channel for testers',
    () => ada.putChannel(asset, 'beta', 11),
    200,
    change(4),
  )
  await measure('list the channels of an asset', () => ada.get(`${path}/channels`), 200, look)
  const key = made(Channel, beta, 200).key ?? ''
  await measure('get an asset as of a channel', () => bob.get(`${path}?channel_key=${key}`), 200, look)
  await measure(
    'URL of a version as of a channel',
    () => bob.get(`${path}/versions/3/url?channel_key=${key}`),
    200,
    look,
  )
  const notes = { notes: 'new', min_build: 7 }
  await measure('change the notes of a version', () => ada.editVersion(asset, 3, notes), 200, change(12))
  const items = (channel_key?: string) =>
    Array.from({ length: 100 }, () => ({ asset_id: asset, version: 3, channel_key }))
  const updates = (json: object) => () => bob.request('POST', '/game/updates', { json })
  const many = (rows: number): Budget => ({ trips: 1, rows_read: 100 * rows, rows_written: 0, r2_calls: 0 })
  await measure('updates of 100 assets', updates({ items: items() }), 200, many(4))
  await measure('updates of 100 assets for a build', updates({ items: items(), build: 7 }), 200, many(5))
  toNextSecond()
  await measure('updates of 100 assets as of a channel', updates({ items: items(key) }), 200, many(7))
  const variant = {
    upload_type: 'game_asset',
    asset_id: asset,
    version: 3,
    platform: 'windows',
    mime_type: 'text/plain',
  }
  const upload = made(Upload, await ada.startUpload({ ...variant, size_bytes: 4 }), 201)
  await put(upload, new TextEncoder().encode('door'))
  await measure('complete the upload for a platform', () => ada.complete(upload), 200, {
    trips: 2,
    rows_read: 80,
    rows_written: 20,
    r2_calls: 1,
  })
  await measure(
    'URL of the content for a platform',
    () => bob.get(`${path}/versions/3/url?platform=windows`),
    200,
    look,
  )
  toNextSecond()
  await measure(
    'delete the content for a platform',
    () => ada.deleteVariant(asset, 3, 'windows'),
    204,
    change(18),
  )
  toNextSecond()
  await measure('delete a channel for testers', () => ada.deleteChannel(asset, 'beta'), 204, change(5))
  await measure('delete the channel live', () => ada.deleteChannel(asset, 'live'), 204, change(12))
}

/** An asset with many versions: its pages, and its permanent deletion, in steps of the request's and the job's. */
async function measureVersions(costs: Measuring, { ada, bob, count }: World): Promise<void> {
  const { measure } = costs
  const versions = count > FEW ? 10_000 : FEW
  const { id } = await ada.emptyAsset(`with ${versions} versions`, { visibility: 'public' })
  await seedVersions(id, versions)
  for (const user of [ada, bob]) {
    await measureList(costs, 'list the versions of an asset', user, `/assets/${id}/versions`, id)
    await measure('get an asset of many versions', () => user.readAsset(id), 200, { trips: 1, rows_read: 30 })
  }
  const own = await ada.emptyAsset(`with ${versions} versions, for a time`)
  await seedVersions(own.id, versions)
  // 15 rows a version, two of them about its grace and one about its variants, and what the statements read once; the row, its indexes,
  // its object, and the user's counters.
  const step = { rows_read: 15 * STEP + 20, rows_written: 7 * STEP }
  const purge = () => ada.deleteAsset(own, '?permanent=true')
  await measure('delete an asset of many versions permanently', purge, 204, {
    ...step,
    trips: 2,
    r2_calls: 0,
  })
  const steps = new PurgingSteps(ada.id)
  while ((await steps.purge()) > 0);
  const [read, written] = [steps.most('rows_read'), steps.most('rows_written')]
  if (read > step.rows_read || written > step.rows_written)
    throw new Error(`a step of the job that deletes versions reads ${read} rows and writes ${written}`)
  const left = databaseOf(own.id).prepare('SELECT count(*) AS count FROM asset_versions WHERE asset_id = ?')
  if ((await left.bind(own.id).first('count')) !== 0) throw new Error('versions are left')
}

/** Pages of branches, most of which are private ones of others. */
async function measureBranches(costs: Measuring, { ada, bob, count }: World): Promise<void> {
  const source = await ada.emptyAsset(`branched ${count} times`, { visibility: 'public' })
  const [brancher, others] = [await signUpCreator('brancher', costs.service), await signUpCreator('others')]
  const branches = { prefix: `branch ${count}`, branched_from: source.id }
  const hidden = { ...branches, visibility: 'private' as const }
  await seedAssets({ ...branches, owner_id: others.id, from: 1, to: 500 })
  await seedAssets({ ...hidden, owner_id: brancher.id, from: 501, to: 1_000 })
  await seedAssets({ ...hidden, owner_id: others.id, from: 1_001, to: 1_000 + (count > FEW ? count : 10) })
  await hintBranches(source.id, [brancher.id, others.id])
  const middle = seededAsset(brancher.id, branches.prefix, 800)
  for (const user of [ada, brancher, bob])
    await measureList(costs, 'list the branches of an asset', user, `/assets/${source.id}/branches`, middle)
}

/** Content that many branches of others share: whatever comes or goes, the last of its own at the end. */
async function measureSharedContent({ measure, service }: Measuring, { ada, count }: World): Promise<void> {
  let others = await signUpCreator('others', service)
  while (homeOf(others.id) !== homeOf(ada.id)) others = await signUpCreator('others', service)
  const branches = count / 10
  const source = await ada.asset(`shared by ${branches}`, { visibility: 'public' }, `castle ${count}`)
  await seedBranches(source.id, others, `by-${branches}`, branches)
  const few: Budget = { rows_read: 60 }
  const purge = (request: string, owner: Creator, id: string) =>
    measure(request, () => owner.deleteAsset(id, '?permanent=true'), 204, few)
  toNextSecond()
  await measure(
    'roll back to content that many share',
    () => ada.rollBack(source, { from_version: 1 }),
    201,
    few,
  )
  const own = (await ada.branched(source, `own branch ${branches}`)).asset.id
  const another = { name: `another ${branches}` }
  const second = await measure('branch content that many share', () => ada.branch(own, another), 201, few)
  const some = seededAsset(others.id, `by-${branches}`, branches + 5)
  await purge('delete one of many branches permanently', others, some)
  await purge('delete an asset permanently, whose content others have', ada, source.id)
  await purge('delete an own branch permanently', ada, own)
  await purge(
    'delete the last of one’s own branches permanently',
    ada,
    made(records.Branch, second, 201).asset.id,
  )
  const queued = await everywhere(
    `SELECT 1 FROM garbage JOIN asset_versions USING (object_key) WHERE is_version = 1 AND asset_id = ?`,
    seededAsset(others.id, `by-${branches}`, branches),
  )
  if (queued.length !== 1) throw new Error(`shared content is queued ${queued.length} times`)
}

/** Branches in the database of an asset, of its first version. */
async function seedBranches(source: string, { id }: Creator, prefix: string, count: number): Promise<void> {
  const seeded = { owner_id: id, prefix, branched_from: source, visibility: 'private' as const }
  await seedAssets({ ...seeded, from: count, to: 2 * count - 1 })
  await databaseOf(source)
    .prepare(
      `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, branched_from_asset_id, branched_from_version, created_at)
      SELECT branch.id, 1, 'version of ' || branch.id, size_bytes, mime_type, object_key, asset_id, 1, 1700000000
      FROM game_assets AS branch JOIN asset_versions ON asset_id = ?1 AND asset_versions.version = 1
      WHERE branch.branched_from_asset_id = ?1`,
    )
    .bind(source)
    .run()
}

/** Favorites of a user who has `count` more. */
async function measureFavorites({ measure, service }: Measuring, count: number): Promise<void> {
  const signedUp = async () => signUpCreator('user', service)
  const [ada, bob] = [await signedUp(), await signedUp()]
  const assets: { id: string }[] = []
  for (let number = 0; number < 11; number++)
    assets.push(await ada.emptyAsset(`${number}`, { visibility: 'public' }))
  const last = assets.pop() ?? { id: '' }
  for (const asset of assets) await bob.favor(asset)
  await everywhere(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO favorites (user_id, asset_id, id, created_at) SELECT ?1, 'asset ' || i, 'id ' || i, 1 FROM n
    WHERE EXISTS (SELECT 1 FROM usage WHERE user_id = ?1)`,
    bob.id,
    count,
  )
  const few = (rows_written: number): Budget => ({ trips: 1, rows_read: 20, rows_written, r2_calls: 0 })
  // The row and its index, the counter, the count of the asset, and its recount with its index.
  await measure('add a favorite', () => bob.favor(last), 204, few(6))
  await measure('add a favorite again', () => bob.favor(last), 204, few(0))
  await measure('remove a favorite', () => bob.unfavor(last), 204, few(5))
  await measure('remove a favorite that is none', () => bob.unfavor(last), 204, { ...few(0), trips: 2 })
  for (const limit of [1, 10, 100])
    await measure('list favorites', () => bob.get(`/game/favorites?limit=${limit}`), 200, {
      trips: 2,
      rows_read: 7 * limit + 10,
      rows_written: 0,
      grows: true,
    })
}

/** Fails unless a step of the job costs what it changes. Those of a thousand deleted assets leave none of a small world. */
async function expectSteps(ada: Creator): Promise<void> {
  const steps = new PurgingSteps(ada.id)
  for (let assets = 0; assets < FEW; assets += STEP)
    if ((await steps.mark()) !== STEP || (await steps.purge()) !== STEP) throw new Error('a step is not full')
  const [read, written] = [steps.most('rows_read'), steps.most('rows_written')]
  if (read > 10 * STEP || written > 5 * STEP)
    throw new Error(`a step of the job that deletes assets reads ${read} rows and writes ${written}`)
}
