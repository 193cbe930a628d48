import { z } from '@hono/zod-openapi'
import { databaseNames, databaseOf, homeOf } from '../databases.ts'
import { valuesOf } from '../description.ts'
import { tokenFor } from '../identities.ts'
import { idOf, newKey, newUserIdIn } from '../ids.ts'
import { seedFolders, seedSiblings } from '../seed.ts'
import { operator, signUp, User } from '../user.ts'
import { type Budget, type Measuring, measurePages } from './measure.ts'
import { FEW, type World } from './world.ts'

/** The items on the path of a file in ada's folder, itself included. */
const d = 3

const page = (limit: number, items: number): Budget => ({
  trips: 1,
  rows_read: limit + 4 * items + 10,
  rows_written: 0,
  r2_calls: 0,
})
const read: Budget = { trips: 1, rows_read: 3 * d + 10, rows_written: 0, r2_calls: 0 }
const change: Budget = { trips: 1, rows_read: 4 * d + 20, rows_written: 5, r2_calls: 0 }

const Page = z.object({ files: z.array(z.object({ id: z.string(), name: z.string() })) })
const idsIn = ({ body }: { body: unknown }) => Page.parse(body).files.map(({ id }) => id)

const sorts = await valuesOf('listFiles', 'sort')
const orders = sorts.flatMap((sort) => [`sort=${sort}&order=asc`, `sort=${sort}&order=desc`])
const types = ['', ...(await valuesOf('listFiles', 'asset_type')).map((type) => `&asset_type=${type}`)]

/** Measures pages of files in every order, of the trash and of shares, and requests of strangers. */
export async function measureFiles(costs: Measuring, world: World): Promise<void> {
  const { measure } = costs
  const { ada, bob, carol, game, folder, slots, count } = world
  await ada.change(game, { is_public: true })
  for (const query of orders.flatMap((order) => types.map((type) => `limit=100&${order}${type}`))) {
    const path = `/files?parent_id=${folder.id}&${query}`
    await measurePages(costs, 'list files in any order, of any type', ada, path, page(100, d - 1))
    await measurePages(costs, 'list files in any order, as a stranger', bob, path, page(100, d - 1))
    const root = `/files?${query}`
    await measurePages(costs, 'list a root of which half is in the trash', ada, root, page(100, 0))
  }
  const [slot = ''] = slots
  await measure('get a file as a stranger', () => bob.get(`/files/${slot}`), 200, read)
  const url = { ...read, rows_read: 4 * d + 10 }
  await measure('download URL as a stranger', () => bob.get(`/files/${slot}/url`), 200, url)
  const below = { name: 'new', asset_type: 'folder', parent_id: folder.id }
  const creation = { ...change, rows_written: 9 }
  await measure('create a folder without a key', () => ada.createFolder(below), 201, creation)

  const listed = { trips: 1, rows_read: 2 * 50 + 10, rows_written: 0 }
  await measurePages(costs, 'list a trash with more than a page', ada, '/trash?limit=50', listed)
  const [trashed = ''] = idsIn(await ada.get('/trash?limit=1'))
  const one = { ...change, rows_written: 6 }
  await measure('restore a file of many', () => ada.restore(trashed), 200, one)
  await measure('delete a file beside many', () => ada.delete(trashed), 204, one)

  const shared = { rows_read: 51 * (3 * d + 4) + 10, rows_written: 0 }
  await measurePages(costs, 'list more than a page that is shared with me', carol, '/shares?limit=50', shared)
  const [share] = await carol.sharedWithMe()
  if (!share) throw new Error('nothing is shared')
  await measure('URL of one of many shares', () => carol.sharedUrl(share), 200, url)
  await measure('revoke one of many shares', () => ada.revoke(share), 204, {
    trips: 1,
    rows_read: 4 * d + 10,
  })
  const leave = () => carol.request('DELETE', `/shares?owner_id=${ada.id}`)
  if (count === FEW) await measure('leave all shares of an owner', leave, 204)
  await measureSharesOf(costs, ada, slot, count > FEW ? 100 : 1)
  await measureBlocked(costs, count / 10)
  if (count === FEW) await measureDeep(costs)
}

/** Another share of a file that has `count` of them. */
async function measureSharesOf(
  { measure }: Measuring,
  ada: User,
  file: string,
  count: number,
): Promise<void> {
  await homeOf(ada.id)
    .prepare(
      `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, created_at)
      SELECT ?1 || ' share ' || value, ?1, ?2, 'friend ' || value, 'view', 1700000000 FROM json_each(?3)`,
    )
    .bind(file, ada.id, JSON.stringify(Array.from({ length: count }, (_, number) => number)))
    .run()
  const grantee_id = newUserIdIn(databaseNames[0] ?? '', 'grantee ')
  const grant = { grantee_id, permission: 'view' }
  await measure('share a file that is shared', () => ada.createShare(file, grant, newKey()), 201)
  const listed: Budget = { trips: 1, rows_read: 2 * 101 + 10, rows_written: 0, grows: true }
  await measure('list the shares of a file', () => ada.get(`/files/${file}/shares`), 200, listed)
}

/** Folders in which everything but three items is blocked: they cost a stranger nothing, and their owner what a page has. */
async function measureBlocked(costs: Measuring, count: number): Promise<void> {
  const { measure, service } = costs
  const [owner, stranger] = [await signUp('owner', service), await signUp('stranger', service)]
  const moderator = await operator('content:moderate', service)
  const folder = await owner.folder('shown')
  await owner.change(folder, { is_public: true })
  await seedSiblings(owner.id, folder.id, count)
  await databaseOf(folder.id)
    .prepare(`UPDATE files SET blocked = 1, name = 'blocked ' || name WHERE parent_id = ?`)
    .bind(folder.id)
    .run()
  for (const name of ['a', 'b', 'z']) await owner.folder(name, { in: folder })
  const small = page(20, 1)
  for (const order of orders) {
    const path = `/files?limit=20&parent_id=${folder.id}&${order}`
    const seen = await measure(
      'list a folder of blocked items as a stranger',
      () => stranger.get(path),
      200,
      small,
    )
    if (idsIn(seen).length !== 3) throw new Error(`a stranger sees ${idsIn(seen).length} of three items`)
    // Their owner's page merges two indexes, and reads a row ahead in each.
    await measurePages(costs, 'list a folder of blocked items', owner, path, page(20, 2))
  }
  const blocked = { rows_read: 20 * (3 * 2 + 4) + 10, rows_written: 0 }
  for (const query of ['', '&kind=files'])
    await measurePages(costs, 'list what is blocked', moderator, `/blocked?limit=20${query}`, blocked)
  const [, other = ''] = idsIn(await owner.get(`/files?parent_id=${folder.id}&sort=name`))
  const block = `/files/${other}/block`
  await measure('block a file', () => moderator.request('PUT', block), 204)
  await measure('lift the block of a file', () => moderator.request('DELETE', block), 204)
}

/** Requests about items at other depths and with one sort key, and about what is no id. */
async function measureDeep({ measure, service }: Measuring): Promise<void> {
  const ada = await signUp('ada', service)
  await seedFolders(ada.id, null, 200)
  await homeOf(ada.id).prepare(`UPDATE files SET name = 'same' WHERE owner_id = ?`).bind(ada.id).run()
  for (const order of orders) {
    const { next_cursor } = await ada.page({ ...Object.fromEntries(new URLSearchParams(order)), limit: 150 })
    const rest = () => ada.get(`/files?${order}&limit=10&cursor=${next_cursor}`)
    await measure('list 10 of many files with one sort key', rest, 200, page(10, 0))
  }
  const urls = (ids: string[], rows_read: number, depth: string) =>
    measure(`URLs of ${depth}`, () => ada.request('POST', '/files/urls', { json: { ids } }), 200, {
      rows_read,
      rows_written: 0,
      r2_calls: 0,
    })
  const bob = await signUp('bob', service)
  for (const depth of [0, 3]) {
    const ids: string[] = []
    for (const user of [ada, bob])
      for (let number = 0; number < 5; number++) ids.push(await fileBelow(user, depth))
    await urls(ids, 10 * (3 * (depth + 1) + 4), `10 files of two players, each below ${depth} folders`)
  }
  const first = await fileBelow(ada, 6)
  const parent_id = (await ada.read(first)).file.parent_id ?? ''
  const ids = [first]
  for (let number = 1; number < 100; number++)
    ids.push(idOf(await ada.createContent('x', { name: `${number}`, parent_id })))
  await urls(ids, 100 * 4 + 6 * 4 + 10, '100 files in one folder, below 6 folders')
  const none = Array.from({ length: 100 }, (_, number) => `no id ${number}`)
  await urls(none, 1, '100 texts that are no ids')

  const [mixed, target] = [await ada.folder('mixed'), await ada.folder('target')]
  await seedSiblings(ada.id, mixed.id, 1_000)
  // A move deeper walks down through folders alone, which are a fifth.
  const moved = { trips: 1, rows_read: 4 * 2 + 2 * 200 + 20, rows_written: 5 }
  await measure(
    'move a folder of 800 files and 200 folders deeper',
    () => ada.move(mixed, { into: target }),
    200,
    moved,
  )

  const late = new User('x', await tokenFor('x', { exp: 1 }), service)
  await measure('a token that has expired', () => late.get('/files'), 401, { trips: 0, r2_calls: 0 })
}

/** A file in folders of its own, as many as `depth`. */
async function fileBelow(user: User, depth: number): Promise<string> {
  let parent_id: string | undefined
  for (let level = 0; level < depth; level++)
    parent_id = (await user.folder(`${level}`, parent_id === undefined ? {} : { in: parent_id })).id
  return idOf(await user.createContent('x', { name: 'below', ...(parent_id && { parent_id }) }))
}

/** Measures moves of a folder with many folders, and what else is one change however much is below. */
export async function measureFull(
  { measure }: Measuring,
  { dora, bob, high, full, count }: World,
): Promise<void> {
  const beside = await dora.folder('beside')
  const deep = await dora.folder('deep', { in: await dora.folder('2', { in: await dora.folder('1') }) })
  const inside = await dora.folder('inside', { in: full })
  const trashed = await dora.folder('trashed')
  await dora.delete(trashed)
  const path = { trips: 1, rows_read: 4 * 4 + 20, rows_written: 5, r2_calls: 0 }
  for (const into of [beside, high, null])
    await measure('move a folder of many folders, no deeper', () => dora.move(full, { into }), 200, path)
  const refused = (status: number, user: User, parent_id: string, headers?: Record<string, string>) =>
    measure(
      'move a folder of many folders to where it can’t be',
      () => user.change(full, { parent_id }, headers),
      status,
      {
        trips: 2,
        rows_read: 2 * path.rows_read,
        rows_written: 0,
      },
    )
  await refused(404, dora, 'nowhere')
  await refused(404, dora, trashed.id)
  await refused(409, dora, inside.id)
  await refused(412, dora, deep.id, { 'If-Match': '"99"' })
  await refused(404, bob, deep.id)
  // MAX_FOLDERS_MOVED
  const walks = count > 10_000 ? 2 : 1
  const walk = 4 * 4 + 2 * Math.min(count + 2, 10_001) + 20
  await measure(
    'move a folder of many folders deeper',
    () => dora.move(full, { into: deep }),
    walks === 1 ? 200 : 409,
    {
      trips: walks,
      rows_read: walks * walk,
      rows_written: walks === 1 ? 5 : 0,
      grows: true,
    },
  )
  await dora.move(full, { into: null })
  await measure('rename a folder of many folders', () => dora.change(full, { name: 'renamed' }), 200, path)
  const most = { trips: 1, rows_read: 4 + 20, rows_written: 6, r2_calls: 0 }
  await measure('delete a folder of many folders', () => dora.delete(full), 204, { ...most, rows_written: 5 })
  await measure('restore a folder of many folders', () => dora.restore(full), 200, most)
  await dora.delete(full)
  const purge = { trips: 2, rows_read: 15_000, rows_written: 1_000 }
  await measure('delete a folder of many folders permanently', () => dora.purge(full), 204, purge)
}
