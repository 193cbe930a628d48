import { describe, expect, it } from 'vitest'
import { homeOf } from '../support/databases.ts'
import { newId } from '../support/exposed.ts'
import { meter } from '../support/meter.ts'
import { openAccount } from '../support/seed.ts'
import { type Fetch, serviceWith } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

/** A chain of `count` folders, each in the one before, from the root down; seeded as a client could have made it. */
async function chain(user: User, count: number, name = 'level'): Promise<string[]> {
  await openAccount(user.id)
  const ids = Array.from({ length: count }, () => newId(user.id))
  const insert = homeOf(user.id).prepare(
    `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, created_at, updated_at)
    VALUES (?, ?, ?, ?, 'folder', 0, 1, 1)`,
  )
  await homeOf(user.id).batch(
    ids.map((id, i) => insert.bind(id, user.id, ids[i - 1] ?? null, `${name} ${i + 1}`)),
  )
  return ids
}

describe('a tree 100 folders deep', () => {
  it('can be read, listed, changed, moved and deleted within the budgets', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    const folders = await chain(ada, 100)
    const bottom = folders[99] ?? ''
    const item = await ada.folder('item', { in: bottom })
    const d = 101
    expect((await ada.read(item)).ancestors.map(({ id }) => id)).toEqual(folders)

    const costs = {
      get: await of(() => ada.read(item)),
      list: await of(() => ada.page({ parent_id: bottom })),
      create: await of(() => ada.folder('another', { in: bottom })),
      rename: await of(() => ada.change(item, { name: 'renamed' })),
      move: await of(() => ada.move(item, { into: folders[98] ?? '' })),
      upload: await of(() => ada.upload({ size_bytes: 1, parent_id: bottom })),
      delete: await of(() => ada.delete(item)),
    }
    const budgets = {
      get: 3 * d + 10,
      list: 2 + 4 * d + 10,
      create: 4 * d + 20,
      rename: 4 * d + 20,
      move: 4 * d + 20,
      upload: 4 * d + 30,
      delete: 4 * d + 20,
    }
    for (const [request, cost] of Object.entries(costs)) expect(cost.trips, request).toBe(1)
    for (const request of ['get', 'list', 'create', 'rename', 'move', 'upload', 'delete'] as const)
      expect(costs[request].rows_read, request).toBeLessThanOrEqual(budgets[request])
  })

  it('holds items with 100 folders above them, and refuses the 101st to creation and upload', async () => {
    const ada = await signUp()
    const folders = await chain(ada, 100)
    const last = await ada.folder('has 100 folders above', { in: folders[99] })
    const below = { name: 'x', asset_type: 'folder', parent_id: last.id }
    expect(await ada.createFolder(below)).toBeProblem(409, 'LIMIT_REACHED', '"limit":"folder_depth"')
    const upload = { upload_type: 'file', name: 'x', size_bytes: 1, mime_type: 'a/b', parent_id: last.id }
    expect(await ada.startUpload(upload)).toBeProblem(409, 'LIMIT_REACHED', '"limit":"folder_depth"')
    expect(await ada.names({ parent_id: last.id })).toEqual([])
  })

  it('refuses the move of a subtree that would pass the limit anywhere below, and takes one that just fits', async () => {
    const ada = await signUp()
    const deep = await chain(ada, 98, 'deep')
    const branch = await chain(ada, 3, 'branch')
    const top = branch[0] ?? ''
    expect((await ada.move(top, { into: deep[97] ?? '' })).status).toBe(200)
    await ada.move(top, { into: null })

    await ada.file('in the last', 'x', { parent_id: branch[2] })
    expect(await ada.move(top, { into: deep[97] ?? '' })).toBeProblem(
      409,
      'LIMIT_REACHED',
      '"limit":"folder_depth"',
    )
    expect((await ada.move(top, { into: deep[96] ?? '' })).status).toBe(200)
    await ada.move(top, { into: null })

    const trashed = await ada.folder('in the trash', { in: branch[2] })
    await ada.folder('below it', { in: trashed })
    await ada.delete(trashed)
    expect(await ada.move(top, { into: deep[96] ?? '' })).toBeProblem(
      409,
      'LIMIT_REACHED',
      '"limit":"folder_depth"',
    )
    expect((await ada.read(top)).file.parent_id).toBeNull()
  })

  it('lets a file move as deep as a folder may be created', async () => {
    const ada = await signUp()
    const folders = await chain(ada, 101)
    const file = await ada.file('a', 'a')
    expect(await ada.move(file, { into: folders[100] ?? '' })).toBeProblem(409, 'LIMIT_REACHED')
    expect((await ada.move(file, { into: folders[99] ?? '' })).status).toBe(200)
  })
})

/** Two chains of folders, and one in which `full` lies two deep and holds `count` folders. */
async function chainsOf(count: number, service: Fetch) {
  const ada = await signUp('ada', service)
  const full = await ada.folder('full', { in: await ada.folder('high') })
  const deep = await ada.folder('deep', { in: await ada.folder('2', { in: await ada.folder('1') }) })
  for (let number = 0; number < count; number++) await ada.folder('inside', { in: full })
  return { ada, full, deep, beside: await ada.folder('beside') }
}

describe('a folder with more folders than MAX_FOLDERS_MOVED', () => {
  it('moves up and sideways, and deeper piece by piece', async () => {
    const service = serviceWith({ MAX_FOLDERS_MOVED: '2' })
    const { ada, full, deep, beside } = await chainsOf(3, service)
    expect(await ada.move(full, { into: deep })).toBeProblem(409, 'LIMIT_REACHED', '"limit":"folders_moved"')
    expect((await ada.read(full)).ancestors.map(({ name }) => name)).toEqual(['high'])
    await expectMoved(ada, full, beside)
    const [piece] = (await ada.page({ parent_id: full.id })).files
    await expectMoved(ada, piece?.id ?? '', null)
    await expectMoved(ada, full, deep)
  })

  it('may be lifted though it is deeper than a limit that has been lowered since', async () => {
    const service = serviceWith({ MAX_FOLDER_DEPTH: '1' })
    const { ada, full, deep } = await chainsOf(1, meter().service)
    const limited = ada.through(service)
    expect(await limited.move(full, { into: deep })).toBeProblem(
      409,
      'LIMIT_REACHED',
      '"limit":"folder_depth"',
    )
    await expectMoved(limited, full, null)
  })
})

async function expectMoved(user: User, item: string | { id: string }, into: { id: string } | null) {
  const answer = await user.move(item, { into })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
}
