import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { arrive } from '../support/content.ts'
import {
  animated,
  animations,
  compressed,
  cutOff,
  deep,
  odd,
  overhanging,
  unpackable,
  unreadable,
} from '../support/hostile-pictures.ts'
import { gif, gifFrame, gifOf, ihdr, png, pngChunk, pngOf, sized } from '../support/pictures.ts'
import { serviceWith } from '../support/service.ts'
import { put, signUp, type User } from '../support/user.ts'

const objects = async () => (await env.BUCKET.list()).objects.length

/** Sends a picture as a file of a kind. */
const send = (user: User, asset_type: string, picture: Uint8Array<ArrayBuffer>, type: string) =>
  user.createContent(picture, { name: 'a', asset_type }, { 'Content-Type': type })

describe('a profile picture', () => {
  const refused: [what: string, pictures: () => Promise<typeof unreadable> | typeof unreadable][] = [
    ['begins with its signature and says its size', () => unreadable],
    ['is there up to its end, in few parts', () => cutOff],
    ['has 8 bits a channel', () => deep],
    ['has frames within its limit of pixels', () => overhanging],
    ['has texts and profiles that unpack to 64 KiB at most', () => compressed(65_538)],
    ['has texts and profiles that can be unpacked', unpackable],
  ]
  it.each(refused)('%s, or is refused', async (_, pictures) => {
    const ada = await signUp()
    const stored = await objects()
    for (const [what, type, picture, why] of await pictures())
      expect(await send(ada, 'profile_pic', picture, type), what).toBeProblem(422, 'UPLOAD_MISMATCH', why)
    expect(await objects()).toBe(stored)
  })

  it('may be odd: long, with more behind its end, and with 64 KiB that are packed', async () => {
    const ada = await signUp()
    for (const [what, type, picture] of [...odd, ...(await compressed(65_536))])
      expect((await send(ada, 'profile_pic', picture, type)).status, what).toBe(201)
  })

  it('has 1,048,576 pixels at most, in any shape, and MAX_PICTURE_PIXELS where that is less', async () => {
    const ada = await signUp()
    const strict = ada.through(serviceWith({ MAX_PICTURE_PIXELS: '12' }))
    const wide = ada.through(serviceWith({ MAX_PICTURE_PIXELS: '16777216' }))
    for (const [what, picture] of Object.entries(sized)) {
      const type = `image/${(what.match(/PNG|JPEG|WebP/)?.[0] ?? '').toLowerCase()}`
      for (const [user, width, height, status] of [
        [ada, 1_024, 1_024, 201],
        [ada, 16_383, 64, 201],
        [wide, 1_025, 1_024, 422],
        [ada, 16_383, 16_383, 422],
        [strict, 4, 3, 201],
        [strict, 13, 1, 422],
      ] as const)
        expect(
          (await send(user, 'profile_pic', picture(width, height), type)).status,
          `${what} ${width}`,
        ).toBe(status)
    }
  })
})

describe('an emote', () => {
  it('is compared as a profile picture is', async () => {
    const ada = await signUp()
    const lists = [unreadable, cutOff, deep, overhanging, await compressed(65_538), await unpackable()]
    for (const [what, type, picture, why] of lists.map((list) => list.at(-1) ?? expect.fail('empty')))
      expect(await send(ada, 'emote', picture, type), what).toBeProblem(422, 'UPLOAD_MISMATCH', why)
  })
})

describe('an animation', () => {
  it('is no profile picture', async () => {
    const ada = await signUp()
    for (const [what, type, picture, why] of animated)
      expect(await send(ada, 'profile_pic', picture, type), what).toBeProblem(422, 'UPLOAD_MISMATCH', why)
  })

  it('is an emote with 33,554,432 pixels at most in all frames together', async () => {
    const ada = await signUp()
    for (const [what, type, picture] of [...animated, ...animations(32)])
      expect((await send(ada, 'emote', picture, type)).status, what).toBe(201)
    for (const [what, type, picture, why] of animations(33))
      expect(await send(ada, 'emote', picture, type), what).toBeProblem(422, 'UPLOAD_MISMATCH', why)
  })
})

describe('new content of a picture', () => {
  it('is compared as the first is, and the picture stays when it is refused', async () => {
    const ada = await signUp()
    const { id } = await ada.picture()
    const type = { 'Content-Type': 'image/gif' }
    const moving = gifOf(1, 1, gifFrame(), gifFrame())
    expect(await ada.replaceContent(id, moving, type)).toBeProblem(422, 'UPLOAD_MISMATCH', 'animated')
    const large = gifOf(1_025, 1_024, gifFrame())
    expect(await ada.replaceContent(id, large, type)).toBeProblem(422, 'UPLOAD_MISMATCH', '1048576 pixels')
    expect((await ada.read(id)).file).toMatchObject({ mime_type: 'image/png', size_bytes: png.length })
    expect((await ada.replaceContent(id, gif, type)).status).toBe(200)
  })
})

describe('a picture of an upload', () => {
  const declared = (picture: Uint8Array) => ({
    asset_type: 'profile_pic',
    mime_type: 'image/png',
    size_bytes: picture.length,
  })
  const body = pngChunk('IDAT', new Uint8Array(3 * 1_024 ** 2))

  it('is looked at up to its end, however far that is', async () => {
    const ada = await signUp()
    const acTL = pngChunk('acTL', [0, 0, 0, 2, 0, 0, 0, 0])
    for (const [picture, why] of [
      [pngOf(ihdr(1, 1), [body, acTL]), 'animated'],
      [pngOf(ihdr(1, 1), [body]).slice(0, -12), 'cut off'],
      [pngOf(ihdr(1_025, 1_024), [body]), 'pixels'],
    ] as const) {
      const upload = await ada.upload(declared(picture))
      await arrive(upload.id, picture, 'image/png')
      expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH', why)
    }
    const picture = pngOf(ihdr(1_024, 1_024), [body], [pngChunk('tEXt', new Uint8Array(99))])
    const upload = await ada.upload(declared(picture))
    await put(upload, picture)
    expect((await ada.complete(upload)).status).toBe(200)
  })
})

it('A file and an attachment of a chat may be any picture, as they may be anything', async () => {
  const ada = await signUp()
  for (const list of [unreadable, cutOff, deep, animated, overhanging])
    for (const [what, type, picture] of list.slice(0, 1))
      for (const kind of ['file', 'chat_attachment'])
        expect((await send(ada, kind, picture, type)).status, what).toBe(201)
})
