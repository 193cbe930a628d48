import { beforeAll, describe, expect, it } from 'vitest'
import { databaseOf, homeOf } from '../support/databases.ts'
import { valuesOf } from '../support/description.ts'
import { partitionOf } from '../support/exposed.ts'
import { race } from '../support/race.ts'
import { hintShares, openAccount, seedSiblings } from '../support/seed.ts'
import { seeded } from '../support/seeded.ts'
import { signUp, type User } from '../support/user.ts'

const fileSorts = await valuesOf('listFiles', 'sort')

const COUNT = 3_000

/** Names as players give them: equal ones, mixed case, é in both forms, CJK, emoji. */
function nameOf(i: number): string {
  const names = [
    'same',
    'Same',
    'SAME',
    'caf\u00e9',
    'cafe\u0301'.normalize('NFC'),
    '地图',
    `地图 ${i % 50}`,
    '👨‍👩‍👧‍👦',
    `level ${i}`,
    `Level ${i}`,
    `_${i % 7}`,
  ]
  return names[i % names.length] ?? ''
}

async function seed(owner_id: string, parent_id: string): Promise<void> {
  await openAccount(owner_id)
  const rows = Array.from({ length: COUNT }, (_, i) => ({
    id: `019a0000-0000-7000-9${partitionOf(owner_id)}-${String((i * 7919) % COUNT).padStart(12, '0')} ${owner_id}`,
    name: nameOf(i),
    size_bytes: i % 13,
    created_at: 1_700_000_000 + Math.floor(i / 97),
  }))
  for (let at = 0; at < COUNT; at += 1_000)
    await homeOf(owner_id)
      .prepare(
        `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
        object_key, created_at, updated_at)
      SELECT value ->> 'id', ?1, ?2, value ->> 'name', 'file', value ->> 'size_bytes', 'text/plain', 'ready',
        value ->> 'id', value ->> 'created_at', value ->> 'created_at' FROM json_each(?3)`,
      )
      .bind(owner_id, parent_id, JSON.stringify(rows.slice(at, at + 1_000)))
      .run()
}

describe('paging through 3,000 items while others come, go and change their names', () => {
  const [first = [], second = [], ...others] = fileSorts.flatMap((sort) =>
    ['asc', 'desc'].map((order) => [sort, order]),
  )
  it.each([first, second])('shows each untouched item exactly once, by %s %s', showsEachOnce)
  it.each(others)('shows each untouched item exactly once, by %s %s', { tags: 'release' }, showsEachOnce)

  async function showsEachOnce(sort = '', order = '') {
    const ada = await signUp()
    const folder = await ada.folder()
    await seed(ada.id, folder.id)
    const random = seeded(sort.length * 31 + order.length)
    const touched = new Set<string>()
    const seen = new Map<string, number>()
    let cursor: string | null = null
    let last: string[] = []
    do {
      const limit = 50 + Math.floor(random() * 201)
      const page: Awaited<ReturnType<User['page']>> = await ada.page({
        parent_id: folder.id,
        sort,
        order,
        limit,
        ...(cursor !== null && { cursor }),
      })
      for (const { id } of page.files) seen.set(id, (seen.get(id) ?? 0) + 1)
      cursor = page.next_cursor
      last = page.files.map(({ id }) => id)
      await disturb(ada, folder.id, last, random, touched)
    } while (cursor)
    const { results } = await databaseOf(folder.id)
      .prepare('SELECT id FROM files WHERE parent_id = ? AND trashed_at IS NULL')
      .bind(folder.id)
      .all<{ id: string }>()
    const untouched = results.map(({ id }) => id).filter((id) => !touched.has(id))
    expect(untouched.length).toBeGreaterThan(COUNT - 400)
    expect(untouched.filter((id) => seen.get(id) !== 1)).toEqual([])
  }

  /** Renames one item that was just seen and deletes another, and makes a folder, all at once. */
  async function disturb(
    ada: User,
    parent_id: string,
    ids: string[],
    random: () => number,
    touched: Set<string>,
  ) {
    const any = () => ids[Math.floor(random() * ids.length)] ?? ''
    const [renamed, deleted] = [any(), any()]
    const name = nameOf(Math.floor(random() * 1_000))
    await race<unknown>(Math.floor(random() * 1_000), [
      async () => touched.add(renamed) && (await ada.change(renamed, { name })),
      async () => touched.add(deleted) && (await ada.delete(deleted)),
      async () => touched.add((await ada.folder(name, { in: parent_id })).id),
    ])
  }
})

describe('a cursor', () => {
  let ada: User
  let folder: string
  let cursor: string
  beforeAll(async () => {
    ada = await signUp()
    folder = (await ada.folder()).id
    for (const name of ['a', 'b', 'c', 'd']) {
      await ada.folder(name)
      await ada.folder(name, { in: folder })
    }
    cursor = (await ada.page({ limit: 2 })).next_cursor ?? ''
  })

  it('goes on with another limit', async () => {
    expect((await ada.page({ limit: 3, cursor })).files.map(({ name }) => name)).toEqual(['c', 'd', 'folder'])
  })

  it('is null on the last page, also when that is full', async () => {
    expect((await ada.page({ limit: 5 })).next_cursor).toBeNull()
    expect((await ada.page({ limit: 4 })).next_cursor).not.toBeNull()
  })

  it('is refused by any other list', async () => {
    const others = [
      `parent_id=${folder}`,
      'asset_type=folder',
      'sort=created_at',
      'order=desc',
      'sort=size_bytes',
    ]
    for (const query of others)
      expect(await ada.get(`/files?${query}&cursor=${cursor}`), query).toBeProblem(400, 'INVALID_CURSOR')
    expect((await ada.page({ sort: 'name', order: 'asc', cursor })).files.length).toBe(3)
  })

  it('is refused when it is forged or malformed', async () => {
    const encoded = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('=', '')
    const list = 'files   name asc'
    const forged = ['x', '%00', 'null', '..', cursor.slice(1), `${cursor}AAAA`, encoded({}), encoded([list])]
    forged.push(
      encoded([list, 7, 'id']),
      encoded([list, 'a', 7]),
      encoded([list, null, null]),
      encoded('files'),
    )
    for (const bad of forged)
      expect(await ada.get(`/files?cursor=${encodeURIComponent(bad)}`), bad).toBeProblem(
        400,
        'INVALID_CURSOR',
      )
    const tooLarge = encoded(['files   size_bytes desc', 1e300, 'id'])
    expect(await ada.get(`/files?sort=size_bytes&cursor=${tooLarge}`)).toBeProblem(400, 'INVALID_CURSOR')
  })

  it('that another user’s list gave out goes on in the caller’s own', async () => {
    const bob = await signUp()
    await bob.folder('a')
    await bob.folder('c')
    expect((await bob.page({ cursor })).files.map(({ name }) => name)).toEqual(['c'])
  })

  it('of a folder shows nothing once the folder is in the trash', async () => {
    const next = (await ada.page({ parent_id: folder, limit: 1 })).next_cursor
    await ada.delete(folder)
    const answer = await ada.get(`/files?parent_id=${folder}&cursor=${next}`)
    expect(answer).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
  })
})

describe('a page', () => {
  /** Ada's files, which are all shared with Bob, and as many in Carol's trash. */
  async function full() {
    const [ada, bob, carol] = [await signUp('ada'), await signUp('bob'), await signUp('carol')]
    for (const { id } of [ada, carol]) await seedSiblings(id, null, 200)
    const share = `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
      SELECT id || ' share', id, owner_id, ?1, 'view', NULL, created_at FROM files WHERE owner_id = ?2 AND asset_type <> 'folder'`
    await homeOf(ada.id).prepare(share).bind(bob.id, ada.id).run()
    await hintShares(ada.id, bob.id)
    const trash = 'UPDATE files SET trashed_at = created_at * 1000, owner_id = owner_id WHERE owner_id = ?'
    await homeOf(carol.id).prepare(trash).bind(carol.id).run()
    return { ada, bob, carol }
  }

  it('of the root is the same after one of a folder without an id', async () => {
    const ada = await signUp()
    const query = 'sort=size_bytes&order=asc&asset_type=emote'
    expect(await ada.get(`/files?${query}&parent_id=`)).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    expect((await ada.get(`/files?${query}`)).body).toEqual({ files: [], next_cursor: null })
  })

  it('holds 100 files or things in the trash, and 50 shares, unless told', async () => {
    const { ada, bob, carol } = await full()
    expect((await ada.page()).files).toHaveLength(100)
    expect((await carol.get('/trash')).body).toMatchObject({ files: { length: 100 } })
    expect(await bob.sharedWithMe()).toHaveLength(50)
  })
})

describe('blocked items', () => {
  it('stand in their owner’s pages where they belong, in every order', async () => {
    const ada = await signUp('ada')
    const names = ['a', 'B', 'c', 'Ä', '\u{1f600}', '\uffee', 'd', 'E', 'b']
    const made = await Promise.all(names.map((name) => ada.folder(name)))
    const orders = fileSorts.flatMap((sort) => ['asc', 'desc'].map((order) => ({ sort, order })))
    const before = await Promise.all(orders.map((order) => ada.names({ ...order, limit: 2 })))
    for (const [index, { id }] of made.entries())
      if (index % 2 === 0)
        await databaseOf(id).prepare('UPDATE files SET blocked = 1 WHERE id = ?').bind(id).run()
    for (const limit of [1, 2, 500])
      expect(await Promise.all(orders.map((order) => ada.names({ ...order, limit })))).toEqual(before)
    expect((await ada.page({ asset_type: 'file' })).files).toEqual([])
  })
})
