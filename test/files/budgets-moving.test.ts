import { describe, expect, it } from 'vitest'
import { meter } from '../support/meter.ts'
import { roomy, seedFolders } from '../support/seed.ts'
import { type Fetch, serviceWith } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

const d = 4

/** A user with two chains of folders, one of them full: `full` lies two deep and holds `count` folders. */
async function scene(count: number, service: Fetch) {
  const ada = await signUp('ada', service)
  const high = await ada.folder('high')
  const full = await ada.folder('full', { in: high })
  const deep = await ada.folder('deep', { in: await ada.folder('2', { in: await ada.folder('1') }) })
  const beside = await ada.folder('beside')
  const inside = await ada.folder('inside', { in: full })
  await seedFolders(ada.id, full.id, count)
  return { ada, high, full, deep, beside, inside }
}

describe.each([1_000, 100_000])('with %i folders below, a move', (count) => {
  const { service, of } = meter(roomy)

  it('to a place that is no deeper costs what the paths cost', async () => {
    const { ada, high, full, beside } = await scene(count, service)
    for (const into of [beside, high, null]) {
      const cost = await of(() => expectMoved(ada, full, into))
      expect(cost.trips).toBe(1)
      expect(cost.rows_read).toBeLessThanOrEqual(4 * d + 20)
    }
  })

  it('that can’t happen is refused without a walk down', async () => {
    const { ada, full, deep, inside } = await scene(count, service)
    const stranger = (await signUp('eve')).through(service)
    const into = (parent_id: string | null) => ({ parent_id })
    const trashed = await ada.folder('trashed')
    await ada.delete(trashed)
    const refused = [
      [404, 'FILE_PARENT_NOT_FOUND', () => ada.change(full, into('nowhere'))],
      [404, 'FILE_PARENT_NOT_FOUND', () => ada.change(full, into(trashed.id))],
      [409, 'FILE_CYCLIC_MOVE', () => ada.change(full, into(inside.id))],
      [412, 'PRECONDITION_FAILED', () => ada.change(full, into(deep.id), { 'If-Match': '"99"' })],
      [404, 'FILE_NOT_FOUND', () => stranger.change(full, into(deep.id))],
    ] as const
    for (const [status, code, request] of refused) {
      const cost = await of(async () => expect(await request()).toBeProblem(status, code))
      expect(cost.trips, code).toBe(2)
      expect(cost.rows_read, code).toBeLessThanOrEqual(2 * (4 * d + 20))
    }
  })

  it('to a deeper place reads 2 rows a folder, up to MAX_FOLDERS_MOVED, and is refused beyond', async () => {
    const { ada, full, deep } = await scene(count, service)
    const cost = await of(async () => {
      const answer = await ada.move(full, { into: deep })
      if (count <= 10_000) expect(answer.status).toBe(200)
      else expect(answer).toBeProblem(409, 'LIMIT_REACHED', '"limit":"folders_moved"')
    })
    const walks = count <= 10_000 ? 1 : 2
    expect(cost.trips).toBe(walks)
    expect(cost.rows_read).toBeLessThanOrEqual(walks * (4 * d + 2 * Math.min(count + 1, 10_001) + 20))
  })
})

describe('a folder with more folders than MAX_FOLDERS_MOVED', () => {
  it('moves up and sideways, and deeper piece by piece', async () => {
    const service = serviceWith({ MAX_FOLDERS_MOVED: '2' })
    const { ada, full, deep, beside } = await scene(2, service)
    expect(await ada.move(full, { into: deep })).toBeProblem(409, 'LIMIT_REACHED', '"limit":"folders_moved"')
    expect((await ada.read(full)).ancestors.map(({ name }) => name)).toEqual(['high'])
    await expectMoved(ada, full, beside)
    const [piece] = (await ada.page({ parent_id: full.id })).files
    await expectMoved(ada, piece?.id ?? '', null)
    await expectMoved(ada, full, deep)
  })

  it('may be lifted though it is deeper than a limit that has been lowered since', async () => {
    const service = serviceWith({ MAX_FOLDER_DEPTH: '1' })
    const { ada, full, deep } = await scene(0, meter().service)
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
