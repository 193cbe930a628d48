import { beforeAll, describe, expect, it } from 'vitest'
import { type Cost, meter } from '../support/meter.ts'
import { openAccount, roomy, seedSiblings } from '../support/seed.ts'
import { signUp, type User } from '../support/user.ts'

describe.each([0, 10_000])('with %i items beside it', (siblings) => {
  const { service, of } = meter({ ...roomy })
  const d = 5
  let ada: User
  let folder: string
  let file: string

  beforeAll(async () => {
    ada = await signUp('ada', service)
    await openAccount(ada.id)
    let parent: string | undefined
    for (const name of ['1', '2', '3', '4']) parent = (await ada.folder(name, { in: parent })).id
    folder = parent ?? ''
    if (siblings > 0) await seedSiblings(ada.id, folder, siblings)
    file = ((await ada.createContent('x', { name: 'a', parent_id: folder })).body as { id: string }).id
  })

  const within = async (budget: Partial<Cost>, status: number, send: () => ReturnType<User['get']>) => {
    const cost = await of(async () => expect((await send()).status).toBe(status))
    expect(cost).toMatchObject({ trips: 1, r2_calls: 1, ...budget })
    expect(cost.rows_read).toBeLessThanOrEqual(4 * d + 40)
    expect(cost.rows_written).toBeLessThanOrEqual(10)
  }
  const key = () => ({ 'Idempotency-Key': crypto.randomUUID() })

  it('creating takes one trip, one call to R2, and writes ten rows at most, with a key, too', async () => {
    await within({}, 201, () => ada.createContent('x', { name: 'b', parent_id: folder }))
    await within({}, 201, () => ada.createContent('x', { name: 'b', parent_id: folder }, key()))
  })

  it('replacing takes one trip, one call to R2, and writes ten rows at most', async () => {
    await within({}, 200, () => ada.replaceContent(file, 'other'))
    await within({}, 200, () => ada.replaceContent(file, 'more', { 'If-Match': '"2"' }))
  })

  it('reading takes one trip and one call to R2, and no call when the client has the content', async () => {
    const written = { rows_written: 0 }
    await within(written, 200, () => ada.readContent(file))
    await within({ ...written, r2_calls: 0 }, 304, () => ada.readContent(file, { 'If-None-Match': '*' }))
  })
})
