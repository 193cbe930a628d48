import { beforeAll, expect, it } from 'vitest'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { meter } from '../support/meter.ts'
import { png, webp } from '../support/pictures.ts'
import { show } from '../support/showing.ts'

const { service, of } = meter()
let ada: Creator

beforeAll(async () => {
  ada = await signUpCreator('ada', service)
  await ada.emptyAsset('first')
})

const declared = [
  ['public', { visibility: 'public' }],
  ['private', {}],
] as const

it.each(declared)(
  'setting the preview of a %s asset costs one call to R2, and one trip to its home',
  async (kind, more) => {
    const asset = await ada.emptyAsset(`set ${kind}`, more)
    for (const [picture, sent] of [
      [png, {}],
      [webp, {}],
      [png, { 'If-Match': '"3"' }],
    ] as const) {
      const cost = await of(async () => expect((await ada.setPreview(asset, picture, sent)).status).toBe(200))
      expect(cost).toMatchObject({ trips: 1, r2_calls: 1 })
      expect(cost.rows_read).toBeLessThanOrEqual(kind === 'public' ? 60 : 30)
      expect(cost.rows_written).toBeLessThanOrEqual(kind === 'public' ? 20 : 6)
    }
  },
)

it('a preview of more than 64 KiB takes a trip more, and is not put for an asset that can’t take it', async () => {
  const [most, more] = [65_536, 65_537].map((size) => {
    const bytes = new Uint8Array(size)
    bytes.set(png)
    return bytes
  })
  const asset = await ada.emptyAsset('large')
  const eve = await signUpCreator('eve', service)
  await eve.emptyAsset('first')
  const cost = (user: Creator, status: number, id: string, picture = more ?? png, sent = {}) =>
    of(async () => expect((await user.setPreview({ ...asset, id }, picture, sent)).status).toBe(status))
  expect(await cost(ada, 200, asset.id, most)).toMatchObject({ trips: 1, r2_calls: 1 })
  expect(await cost(ada, 200, asset.id)).toMatchObject({ trips: 2, r2_calls: 1 })
  const nothing = { trips: 1, r2_calls: 0, rows_written: 0 }
  expect(await cost(ada, 412, asset.id, more, { 'If-Match': '"1"' })).toMatchObject(nothing)
  expect(await cost(eve, 404, asset.id)).toMatchObject(nothing)
  expect(
    await cost(
      ada,
      404,
      asset.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ),
  ).toMatchObject(nothing)
})

it.each(declared)(
  'removing the preview of a %s asset costs one trip, and writes nothing without one',
  async (kind, more) => {
    const asset = await ada.previewed(await ada.emptyAsset(`removed ${kind}`, more))
    const remove = async () => expect((await ada.deletePreview(asset)).status).toBe(204)
    const cost = await of(remove)
    expect(cost).toMatchObject({ trips: 1, r2_calls: 0 })
    expect(cost.rows_written).toBeLessThanOrEqual(kind === 'public' ? 20 : 6)
    expect(await of(remove)).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 0 })
  },
)

it.each(declared)(
  'the preview of a %s asset costs one trip and one call to R2, and no call for who has it',
  async (kind, more) => {
    const asset = await ada.previewed(await ada.emptyAsset(`shown ${kind}`, more))
    const url = asset.preview_url ?? ''
    const shown = await of(() => show(url, {}, service))
    expect(shown).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 1 })
    expect(shown.rows_read).toBeLessThanOrEqual(3)
    const cheap: Record<string, string>[] = [{ 'If-None-Match': '*' }, { method: 'HEAD' }]
    for (const headers of cheap)
      expect(await of(() => show(url, headers, service))).toMatchObject({ trips: 1, r2_calls: 0 })
    const wrong = `${new URL(url).origin}${new URL(url).pathname}?expires=1&signature=x`
    if (kind === 'private')
      expect(await of(() => show(wrong, {}, service))).toMatchObject({ trips: 1, r2_calls: 0 })
    for (const path of ['x/y', `${'0'.repeat(36)}/y`])
      expect(
        await of(() => show(`${new URL(url).origin}/pictures/assets/${path}`, {}, service)),
      ).toMatchObject({ trips: 0, r2_calls: 0 })
  },
)

it('preview_url costs no trip and no call to R2', async () => {
  const asset = await ada.emptyAsset('with')
  const before = await of(() => ada.readAsset(asset))
  await ada.previewed(asset)
  const after = await of(() => ada.readAsset(asset))
  expect(after).toEqual(before)
})
