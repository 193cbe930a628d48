import { describe, expect, it } from 'vitest'
import { send } from '../support/answer.ts'
import { accept, serviceWithCheck } from '../support/checking.ts'
import { everyDatabase } from '../support/databases.ts'
import { unknownId } from '../support/ids.ts'
import { runJobIn } from '../support/objects.ts'
import { gif, jpeg, png, webp } from '../support/pictures.ts'
import { seedSiblings } from '../support/seed.ts'
import { origin, service } from '../support/service.ts'
import { show } from '../support/showing.ts'
import { operator, put, signUp, type User } from '../support/user.ts'

const none = (user: User) => ({ user_id: user.id, picture_url: null, updated_at: null })

/** A user who has chosen a picture, with its URL. */
async function withPicture(name = 'ada') {
  const ada = await signUp(name)
  const file = await ada.picture()
  const { picture_url } = await ada.choose(file)
  return { ada, file, url: picture_url ?? '' }
}

async function moderate(method: 'PUT' | 'DELETE', item: { id: string }) {
  const moderator = await operator('content:moderate')
  expect((await moderator.request(method, `/files/${item.id}/block`)).status).toBe(204)
}

describe('choosing a picture', () => {
  it('shows it to everybody, even though its file is private', { tags: 'runtime' }, async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const file = await ada.picture()
    expect(file.is_public).toBe(false)
    const before = Math.floor(Date.now() / 1000)
    const profile = await ada.choose(file)
    expect(profile).toEqual({
      user_id: ada.id,
      picture_url: expect.stringMatching(`^${origin}/pictures/files/${file.id}/[0-9a-f-]{36}$`),
      updated_at: expect.any(Number),
    })
    expect(profile.updated_at).toBeGreaterThanOrEqual(before)
    expect(await bob.profiles(ada)).toEqual([profile])
    expect((await show(profile.picture_url)).bytes).toEqual(png)
  })

  it('replaces the one before, whose URL is gone at once', async () => {
    const { ada, file, url } = await withPicture()
    const other = await ada.file('b.gif', gif, { asset_type: 'profile_pic', mime_type: 'image/gif' })
    const { picture_url } = await ada.choose(other)
    expect((await show(picture_url)).bytes).toEqual(gif)
    expect((await show(url)).status).toBe(404)
    await ada.delete(file)
    await ada.purge(file)
    expect(await ada.profiles(ada)).toMatchObject([{ picture_url }])
  })

  it('of the same picture again changes nothing', async () => {
    const { ada, file } = await withPicture()
    const [first] = await ada.profiles(ada)
    expect(await ada.choose(file)).toEqual(first)
  })

  it('of none removes it, and is no error without one', async () => {
    const { ada, url } = await withPicture()
    for (let times = 0; times < 2; times++) expect(await ada.choose(null)).toEqual(none(ada))
    expect(await ada.profiles(ada)).toEqual([none(ada)])
    expect((await show(url)).status).toBe(404)
  })

  it('refuses what is no picture of the caller’s, and keeps the one before', async () => {
    const { ada } = await withPicture()
    const bob = await signUp('bob')
    const [kept] = await ada.profiles(ada)
    const folder = await ada.folder()
    const emote = await ada.file('e.png', png, { asset_type: 'emote', mime_type: 'image/png' })
    const declared = { asset_type: 'profile_pic', mime_type: 'image/png', size_bytes: png.length }
    const { file: pending } = await ada.upload({ name: 'pending', ...declared })
    for (const wrong of [folder, emote, pending?.id ?? ''])
      expect(await ada.setProfile(wrong)).toBeProblem(400, 'VALIDATION_FAILED', 'picture_id')
    const shared = await bob.picture()
    await bob.change(shared, { is_public: true })
    await bob.share(shared, ada)
    const trashed = await ada.picture('trashed.png')
    await ada.delete(trashed)
    const inside = await ada.picture('inside.png', { parent_id: folder.id })
    await ada.delete(folder)
    for (const unknown of [shared, trashed, inside, unknownId, 'x', ''])
      expect(await ada.setProfile(unknown)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await ada.profiles(ada)).toEqual([kept])
  })

  it('refuses a body without a picture_id', async () => {
    const ada = await signUp()
    for (const json of [{}, { picture_id: 1 }, { picture_id: [unknownId] }])
      expect(await ada.request('PUT', '/profile', { json })).toBeProblem(400, 'VALIDATION_FAILED')
  })

  it('of a picture whose content waits for its check is refused until it has passed', async () => {
    const ada = (await signUp()).through(serviceWithCheck().service)
    const declared = { asset_type: 'profile_pic', mime_type: 'image/png', size_bytes: png.length }
    const upload = await ada.upload({ name: 'me.png', ...declared })
    await put(upload, png)
    expect((await ada.complete(upload)).status).toBe(202)
    const picture = upload.file?.id ?? ''
    expect(await ada.setProfile(picture)).toBeProblem(400, 'VALIDATION_FAILED', 'ready')
    await accept(upload.id)
    expect((await show((await ada.choose(picture)).picture_url)).bytes).toEqual(png)
  })
})

describe('profiles', () => {
  it('come in the order that was asked for, as often as they were asked for', async () => {
    const [ada, bob] = [(await withPicture('ada')).ada, (await withPicture('bob')).ada]
    const stranger = await signUp('stranger')
    const [a, b] = [...(await ada.profiles(ada)), ...(await ada.profiles(bob))]
    expect(await stranger.profiles(bob, stranger, ada, bob)).toEqual([b, none(stranger), a, b])
  })

  it('are those of 1 to 100 users', async () => {
    const ada = await signUp()
    const users = Array.from({ length: 101 }, (_, number) => `user-${number}`)
    expect(await ada.profiles(...users.slice(1))).toHaveLength(100)
    for (const user_ids of [[], users, ['a\u0000'], [''], 'ada', [1]])
      expect(await ada.request('POST', '/profiles', { json: { user_ids } })).toBeProblem(
        400,
        'VALIDATION_FAILED',
      )
  })

  it('have no picture while it is in the trash or blocked, and again afterwards', async () => {
    const { ada, file, url } = await withPicture()
    const bob = await signUp('bob')
    const [shown] = await bob.profiles(ada)
    const expectHidden = async () => {
      expect(await bob.profiles(ada)).toEqual([none(ada)])
      expect((await show(url)).status).toBe(404)
    }
    const expectShown = async () => {
      expect(await bob.profiles(ada)).toEqual([shown])
      expect((await show(url)).status).toBe(200)
    }
    await ada.delete(file)
    await expectHidden()
    await ada.restore(file)
    await expectShown()
    await moderate('PUT', file)
    await expectHidden()
    expect(await ada.choose(file)).toEqual(none(ada))
    await moderate('DELETE', file)
    await expectShown()
    const folder = await ada.folder()
    await ada.move(file, { into: folder })
    await expectShown()
    await ada.delete(folder)
    await expectHidden()
    await ada.restore(folder)
    await moderate('PUT', folder)
    await expectHidden()
    await moderate('DELETE', folder)
    await expectShown()
    await ada.delete(file)
    await ada.purge(file)
    await expectHidden()
  })

  it('follow new content of the picture at once, and keep the time of the choice', async () => {
    const { ada, file, url } = await withPicture()
    const [before] = await ada.profiles(ada)
    const upload = await ada.upload({
      name: undefined,
      file_id: file.id,
      size_bytes: gif.length,
      mime_type: 'image/gif',
    })
    expect((await show(url)).bytes).toEqual(png)
    await put(upload, gif)
    expect((await ada.complete(upload)).status).toBe(200)
    const [after] = await ada.profiles(ada)
    expect(after?.picture_url).not.toBe(url)
    expect(after?.updated_at).toBe(before?.updated_at)
    const shown = await show(after?.picture_url ?? null)
    expect([shown.bytes, shown.headers.get('Content-Type')]).toEqual([gif, 'image/gif'])
    expect((await show(url)).status).toBe(404)
  })

  it('are gone with an erased user at once, and a new picture is the new account’s', async () => {
    const { ada, url } = await withPicture()
    const eraser = await operator('users:erase')
    expect((await eraser.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
    expect(await eraser.profiles(ada)).toEqual([none(ada)])
    expect((await show(url)).status).toBe(404)
    const again = await ada.choose(await ada.picture())
    await runJobIn(0)
    expect((await show(again.picture_url)).status).toBe(200)
    expect(await eraser.profiles(ada)).toEqual([again])
  })
})

describe('the URL of a picture', () => {
  it.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/gif', gif],
    ['image/webp', webp],
  ])('serves %s to a page of any origin, and as nothing but a picture', async (mime_type, bytes) => {
    const ada = await signUp()
    const file = await ada.file('p', bytes, { asset_type: 'profile_pic', mime_type })
    const { picture_url } = await ada.choose(file)
    const shown = await show(picture_url, { Origin: 'https://game.example' })
    expect(shown.status).toBe(200)
    expect(shown.bytes).toEqual(bytes)
    const headers = Object.fromEntries(shown.headers)
    expect(headers).toMatchObject({
      'content-type': mime_type,
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=300, must-revalidate',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[0-9a-f-]{36}"$/),
    })
    expect(headers).not.toHaveProperty('vary')
    expect(headers).not.toHaveProperty('x-d1-bookmark')
  })

  it('answers 304 to who has the picture, and its headers alone to HEAD', async () => {
    const { url } = await withPicture()
    const etag = (await show(url)).headers.get('ETag') ?? ''
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const unchanged = await show(url, { 'If-None-Match': tag })
      expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0])
      expect(unchanged.headers.get('ETag')).toBe(etag)
      expect(unchanged.headers.get('Cache-Control')).toBe('public, max-age=300, must-revalidate')
    }
    expect((await show(url, { 'If-None-Match': '"x"' })).status).toBe(200)
    const head = await show(url, { method: 'HEAD' })
    expect([head.status, head.bytes.length, head.headers.get('Content-Type')]).toEqual([200, 0, 'image/png'])
    expect(head.headers.get('Content-Length')).toBe(String(png.length))
    expect(head.headers.get('ETag')).toBe(etag)
  })

  it('answers for everything else as for a path that nothing is served at, also with the tag of a picture', async () => {
    const { ada, file, url } = await withPicture()
    const other = await ada.picture('other.png')
    const { picture_url: of_other } = await ada.choose(other)
    const etag = `"${url.split('/').at(-1)}"`
    const [, content = ''] = /([^/]+)$/.exec(of_other ?? '') ?? []
    const bodyOf = async (path: string, headers = {}) => {
      const { status, text, body } = await send('GET', path, { headers })
      expect(body).toHaveProperty('request_id')
      return [status, text.replace(/"request_id":"[^"]+"/, '')]
    }
    const unknown = await bodyOf('/nothing/here')
    expect(unknown[0]).toBe(404)
    for (const path of [
      new URL(url).pathname,
      `/pictures/files/${file.id}/${content}`,
      `/pictures/files/${other.id}/${other.id}`,
      `/pictures/files/${unknownId}/${content}`,
      `/pictures/files/${other.id}/x`,
      `/pictures/files/x/${content}`,
      `/pictures/files/${other.id}`,
      `/pictures/files/${other.id}/${content}/`,
      `/pictures/assets/${other.id}/${content}`,
      '/pictures',
      '/pictures/',
    ])
      for (const headers of [{}, { 'If-None-Match': '*' }, { 'If-None-Match': etag }])
        expect(await bodyOf(path, headers), path).toEqual(unknown)
    expect((await show(of_other)).status).toBe(200)
  })

  it('takes GET and HEAD only, and a wrong token or bookmark changes nothing', async () => {
    const { url } = await withPicture()
    const path = new URL(url).pathname
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await send(method, path)
      expect(answer).toBeProblem(405, 'METHOD_NOT_ALLOWED')
      expect(answer.headers.get('Allow')).toBe('GET, HEAD')
    }
    const headers = { Authorization: 'Bearer x', 'X-D1-Bookmark': 'x' }
    expect((await show(url, headers)).status).toBe(200)
  })

  it('is at the address that the client uses for the API', { tags: 'runtime' }, async () => {
    const { ada } = await withPicture()
    const headers = { Authorization: `Bearer ${ada.token}`, 'Content-Type': 'application/json' }
    const url = 'http://127.0.0.1:9999/v1/profiles'
    const request = new Request(url, { method: 'POST', headers, body: `{"user_ids":["${ada.id}"]}` })
    const { profiles } = await (await service(request)).json<{ profiles: { picture_url: string }[] }>()
    expect(profiles[0]?.picture_url).toMatch(/^http:\/\/127\.0\.0\.1:9999\/pictures\/files\//)
  })
})

it('an erasure removes the profile in its request, also when the job has to remove the picture', async () => {
  const { ada } = await withPicture()
  await seedSiblings(ada.id, null, 1_000)
  const eraser = await operator('users:erase')
  expect((await eraser.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
  for (const database of everyDatabase)
    expect(
      await database.prepare('SELECT * FROM profiles WHERE user_id = ?').bind(ada.id).all(),
    ).toMatchObject({ results: [] })
})
