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

  it('more than 64 KiB take a trip more, which looks for the folder or the file first', async () => {
    const [most, more] = ['x'.repeat(65_536), 'x'.repeat(65_537)]
    await within({}, 200, () => ada.replaceContent(file, most))
    await within({ trips: 2 }, 200, () => ada.replaceContent(file, more))
    await within({ trips: 2 }, 201, () => ada.createContent(more, { name: 'c', parent_id: folder }))
    await within({}, 201, () => ada.createContent(more, { name: 'c' }))
  })

  it('more than 64 KiB that nothing can take are not put', async () => {
    const more = 'x'.repeat(65_537)
    const eve = await signUp('eve', service)
    await openAccount(eve.id)
    const refused = async (status: number, send: () => ReturnType<User['get']>) => {
      const cost = await of(async () => expect((await send()).status).toBe(status))
      expect(cost).toMatchObject({ r2_calls: 0, rows_written: 0 })
      expect(cost.trips).toBeLessThanOrEqual(2)
    }
    await refused(412, () => ada.replaceContent(file, more, { 'If-Match': '"1"' }))
    await refused(404, () => eve.replaceContent(file, more))
    await refused(404, () => ada.replaceContent('unknown', more))
    await refused(409, () => ada.replaceContent(folder, more))
    await refused(404, () => eve.createContent(more, { name: 'b', parent_id: folder }))
    await refused(404, () =>
      ada.createContent(more, { name: 'b', parent_id: folder.replace(/.$/, 'x') }, key()),
    )
  })

  it('reading takes one trip and one call to R2, and no call when the client has the content', async () => {
    const written = { rows_written: 0 }
    await within(written, 200, () => ada.readContent(file))
    await within({ ...written, r2_calls: 0 }, 304, () => ada.readContent(file, { 'If-None-Match': '*' }))
  })
})
