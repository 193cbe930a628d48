import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { send } from '../support/answer.ts'
import { serviceWithCheck } from '../support/checking.ts'
import { signUpCreator } from '../support/creator.ts'
import { countOf, overEvery } from '../support/databases.ts'
import { allEndpoints, publicEndpoints } from '../support/description.ts'
import { Edge } from '../support/edge.ts'
import { tokenFor } from '../support/identities.ts'
import { overridden } from '../support/meter.ts'
import { withSessions } from '../support/outgoing.ts'
import { gif, png } from '../support/pictures.ts'
import { servedRoutes } from '../support/routes.ts'
import { origin, service } from '../support/service.ts'
import { show } from '../support/showing.ts'
import { operator, put, User } from '../support/user.ts'
import { requestTo } from './authorisation/ask.ts'
import { relations } from './authorisation/relations.ts'
import { worldWithAll } from './authorisation/things.ts'

/** A creator behind the cache, with a picture of each kind that the cache keeps. */
async function withPictures(name = 'ada') {
  const edge = new Edge()
  const ada = await signUpCreator(name, edge.fetch)
  const asset = await ada.previewed(await ada.emptyAsset('castle', { visibility: 'public' }))
  const file = await ada.picture()
  const profile = await ada.choose(file)
  const preview = { url: asset.preview_url ?? '', asset }
  const picture = { url: profile.picture_url ?? '', file }
  for (const { url } of [preview, picture]) expect(await statusOf(edge, url)).toBe('200 MISS')
  edge.queued = []
  return { edge, ada, preview, picture }
}

async function statusOf(edge: Edge, url: string, headers = {}): Promise<string> {
  const seen = await show(url, headers, edge.fetch)
  return `${seen.status} ${seen.headers.get('Cf-Cache-Status') ?? 'NONE'}`
}

type Scene = Awaited<ReturnType<typeof withPictures>>

describe('a picture that everybody may see', () => {
  it('is kept in front of the Worker: the second request does not reach it', async () => {
    const { edge, preview, picture } = await withPictures()
    const { misses } = edge
    for (const { url } of [preview, picture]) {
      expect(await statusOf(edge, url)).toBe('200 HIT')
      expect(await statusOf(edge, url, { method: 'HEAD' })).toBe('200 HIT')
      const seen = await show(url, {}, edge.fetch)
      expect(seen.bytes).toEqual(png)
      expect(await statusOf(edge, url, { 'If-None-Match': seen.headers.get('ETag') })).toBe('304 HIT')
      expect(seen.headers.get('Cache-Control')).toBe('public, max-age=300, must-revalidate')
    }
    expect(edge.misses).toBe(misses)
    edge.later_ms = 300_000
    expect(await statusOf(edge, picture.url)).toBe('200 MISS')
  })

  it('has tags that name neither its owner nor the asset, and differ for users whose ids differ in case alone', async () => {
    const tagsOf = async (id: string) => {
      const user = new User(id, await tokenFor(id))
      const { picture_url } = await user.choose(await user.picture())
      return (await show(picture_url)).headers.get('Cache-Tag')?.toLowerCase().split(',') ?? []
    }
    const one = crypto.randomUUID()
    const [upper, lower, other] = [
      await tagsOf(`Äda ${one}`),
      await tagsOf(`äda ${one}`),
      await tagsOf(`ÄDA ${one}`),
    ]
    expect(new Set([...upper, ...lower, ...other]).size).toBe(6)
    for (const tag of upper) expect(tag).toMatch(/^(?:profile|owner)-[\w-]{43}$/)
  })
})

describe('a picture that ends', () => {
  const ends: Record<string, (scene: Scene) => Promise<unknown>> = {
    'another preview': ({ ada, preview }) => ada.previewed(preview.asset),
    'no preview': ({ ada, preview }) => ada.request('DELETE', `/game/assets/${preview.asset.id}/preview`),
    'an asset that becomes private': ({ ada, preview }) =>
      ada.editAsset(preview.asset, { visibility: 'private' }),
    'a deleted asset': ({ ada, preview }) => ada.deleteAsset(preview.asset),
    'an asset that is deleted permanently': ({ ada, preview }) =>
      ada.request('DELETE', `/game/assets/${preview.asset.id}?permanent=true`),
    'another profile picture': async ({ ada }) => ada.choose(await ada.picture('b.png')),
    'no profile picture': ({ ada }) => ada.choose(null),
    'a deleted file': ({ ada, picture }) => ada.delete(picture.file),
    'other content of the file in one request': ({ ada, picture }) =>
      ada.request('PUT', `/files/${picture.file.id}/content`, {
        body: gif,
        headers: { 'Content-Type': 'image/gif' },
      }),
    'other content of the file by an upload': async ({ ada, picture }) => {
      const declared = { mime_type: 'image/gif', size_bytes: gif.length }
      const upload = await ada.upload({ name: undefined, file_id: picture.file.id, ...declared })
      await put(upload, gif)
      return ada.complete(upload)
    },
    'a deleted folder around the file': async ({ ada, picture }) => {
      const folder = await ada.folder()
      await ada.move(picture.file, { into: folder })
      return ada.delete(folder)
    },
    'a move into a blocked folder': async ({ ada, picture, edge }) => {
      const folder = await ada.folder()
      await (await operator('content:moderate')).request('PUT', `/files/${folder.id}/block`)
      edge.queued = []
      return ada.move(picture.file, { into: folder })
    },
  }

  it.each(Object.entries(ends))('by its owner is dropped within 20 seconds: %s', async (_, end) => {
    const scene = await withPictures()
    const { edge, preview, picture } = scene
    await end(scene)
    expect(edge.calls, 'nothing at once').toEqual([])
    expect(edge.queued).toHaveLength(1)
    const [{ delaySeconds } = { delaySeconds: 0 }] = edge.queued
    expect(delaySeconds).toBeGreaterThan(5)
    expect(delaySeconds).toBeLessThanOrEqual(20)
    expect(await edge.deliver()).toEqual([])
    const after = [await statusOf(edge, preview.url), await statusOf(edge, picture.url)]
    expect(after.sort()).toEqual(['200 HIT', '404 NONE'])
  })

  const operatorsEnds: Record<string, (scene: Scene) => Promise<unknown>> = {
    'a blocked asset': async ({ edge, preview }) =>
      (await operator('content:moderate', edge.fetch)).request(
        'PUT',
        `/game/assets/${preview.asset.id}/block`,
      ),
    'a blocked file': async ({ edge, picture }) =>
      (await operator('content:moderate', edge.fetch)).request('PUT', `/files/${picture.file.id}/block`),
    'a blocked folder around the file': async ({ edge, ada, picture }) => {
      const folder = await ada.folder()
      await ada.move(picture.file, { into: folder })
      return (await operator('content:moderate', edge.fetch)).request('PUT', `/files/${folder.id}/block`)
    },
    'other content of the file, after its check': async ({ edge, ada, picture }) => {
      const declared = { mime_type: 'image/gif', size_bytes: gif.length }
      const upload = await ada.upload({ name: undefined, file_id: picture.file.id, ...declared })
      await put(upload, gif)
      expect((await ada.through(serviceWithCheck().service).complete(upload)).status).toBe(202)
      const json = { verdict: 'ready' }
      return (await operator('content:check', edge.fetch)).request('PUT', `/uploads/${upload.id}/verdict`, {
        json,
      })
    },
  }

  it.each(Object.entries(operatorsEnds))(
    'by an operator is dropped at once, and again for what was on its way: %s',
    async (_, end) => {
      const scene = await withPictures()
      const { edge, preview, picture } = scene
      expect(await end(scene)).toMatchObject({ status: 204 })
      expect(edge.calls).toHaveLength(1)
      const after = [await statusOf(edge, preview.url), await statusOf(edge, picture.url)]
      expect(after.sort()).toEqual(['200 HIT', '404 NONE'])
      expect(edge.queued).toHaveLength(1)
    },
  )

  it.each(['a blocked asset', 'a blocked file', 'a blocked folder around the file'])(
    'by an operator is dropped although the answer of the database is lost: %s',
    async (what) => {
      const { edge, ada, preview, picture } = await withPictures()
      const before = await countOf('blocks')
      const lost = overEvery((database) =>
        withSessions(database, (session) => ({
          batch: async <Row>(statements: D1PreparedStatement[]) => {
            const results = await session.batch<Row>(statements)
            if ((await countOf('blocks')) > before) throw new Error('D1_ERROR: Network connection lost.')
            return results
          },
        })),
      )
      const losing = new Edge(lost)
      await operatorsEnds[what]?.({ edge: losing, ada, preview, picture })
      const path = what === 'a blocked asset' ? preview.url : picture.url
      expect(await statusOf(new Edge(), path), 'it is blocked').toBe('404 NONE')
      const tags = losing.calls.flat().map((tag) => tag.toLowerCase())
      const dropped = [...edge.kept].filter(([, kept]) => kept.tags.some((tag) => tags.includes(tag)))
      expect(dropped.map(([key]) => key)).toEqual([new URL(path).pathname])
    },
  )

  it('by an erasure is dropped at once with all others of the user, by one tag', async () => {
    const { edge, ada, preview, picture } = await withPictures()
    const more = await ada.previewed(await ada.emptyAsset('tower', { visibility: 'public' }))
    expect(await statusOf(edge, more.preview_url ?? '')).toBe('200 MISS')
    const bob = await signUpCreator('bob', edge.fetch)
    const { picture_url } = await bob.choose(await bob.picture())
    expect(await statusOf(edge, picture_url ?? '')).toBe('200 MISS')
    const operators = await operator('users:erase', edge.fetch)
    expect((await operators.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
    expect(edge.calls).toEqual([[expect.stringMatching(/^owner-/)]])
    for (const url of [preview.url, picture.url, more.preview_url ?? ''])
      expect(await statusOf(edge, url)).toBe('404 NONE')
    expect(await statusOf(edge, picture_url ?? '')).toBe('200 HIT')
  })

  it('while it is on its way to the cache is dropped by the queue', async () => {
    const { edge, preview } = await withPictures()
    edge.kept.clear()
    const moderator = await operator('content:moderate', edge.fetch)
    edge.onTheWay = async () => {
      edge.onTheWay = async () => {}
      await moderator.request('PUT', `/game/assets/${preview.asset.id}/block`)
    }
    expect(await statusOf(edge, preview.url)).toBe('200 MISS')
    expect(await statusOf(edge, preview.url), 'kept after it has ended').toBe('200 HIT')
    await edge.deliver()
    expect(await statusOf(edge, preview.url)).toBe('404 NONE')
  })

  it('is dropped together with those of others: one call for a hundred requests', async () => {
    const { edge, ada, preview } = await withPictures()
    for (let times = 0; times < 5; times++) {
      await ada.editAsset(preview.asset, { visibility: 'private' })
      await ada.editAsset(preview.asset, { visibility: 'public' })
    }
    const [first] = edge.queued
    if (first)
      edge.queued = Array.from({ length: 100 }, (_, n) => ({
        ...first,
        body: { kind: 'pictures', tags: [`x-${n}`] },
      }))
    await edge.deliver()
    expect(edge.calls.map(({ length }) => length)).toEqual([100])
  })

  it('is asked for in no call more where nothing ended', async () => {
    const { edge, ada } = await withPictures()
    const asset = await ada.emptyAsset('bare', { visibility: 'public' })
    await ada.previewed(asset)
    await ada.deleteAsset(await ada.emptyAsset('private'))
    await ada.editAsset(await ada.emptyAsset('c', { visibility: 'public' }), { visibility: 'private' })
    const other = await ada.file('other', 'x')
    await ada.delete(other)
    await ada.delete(await ada.picture('unused.png'))
    await ada.move(await ada.file('moved', 'x'), { into: await ada.folder() })
    expect(edge.queued).toEqual([])
    expect(edge.calls).toEqual([])
  })
})

describe('a call to drop that the platform refuses', () => {
  it('fails no request; the queue repeats it until no cache can have the picture', async () => {
    const { edge, preview } = await withPictures()
    edge.tokens = 0
    const moderator = await operator('content:moderate', edge.fetch)
    const answer = await moderator.request('PUT', `/game/assets/${preview.asset.id}/block`)
    expect(answer.status).toBe(204)
    expect((await send('GET', new URL(preview.url).pathname)).status, 'the Worker serves it no more').toBe(
      404,
    )
    expect(await statusOf(edge, preview.url)).toBe('200 HIT')
    for (const delay of await edge.deliver(299_000)) expect(delay).toBeLessThanOrEqual(20)
    expect(edge.queued).toHaveLength(1)
    expect(await edge.deliver(306_000), 'nothing is that old').toEqual([])
    edge.later_ms = 300_000
    expect(await statusOf(edge, preview.url)).toBe('404 NONE')
  })

  it('is one of a player’s, too, where the queue is out', async () => {
    const { edge, ada, preview } = await withPictures()
    edge.hasQueue = false
    expect((await ada.deleteAsset(preview.asset)).status).toBe(204)
    expect(await statusOf(edge, preview.url)).toBe('404 NONE')
    edge.tokens = 0
    expect((await ada.choose(null)).picture_url).toBeNull()
  })
})

describe('the cache in front of the Worker', () => {
  it('keeps no answer to any other route, and nothing at a URL with a query', async () => {
    const ASSETS = overridden(exports.default, { fetch: async () => new Response('a file of the console') })
    const edge = new Edge({ CONSOLE: 'on', ASSETS })
    const { ada, grantee, named } = await worldWithAll()
    const scopes = [
      ...new Set((await allEndpoints()).flatMap(({ operation }) => operation['x-scopes'] ?? [])),
    ]
    const callers = [
      ada.through(edge.fetch),
      new User(ada.id, await tokenFor(ada.id, { scope: scopes.join(' ') }), edge.fetch),
      grantee.through(edge.fetch),
      new User('nobody', '', edge.fetch),
    ]
    const asset = await ada.previewed(await ada.emptyAsset('castle', { visibility: 'public' }))
    await ada.editAsset({ id: named.get('asset')?.id ?? '' }, { visibility: 'public' })
    const secret = await ada.previewed(await ada.emptyAsset('secret'))
    const { picture_url } = await ada.choose(await ada.picture())
    const pictures = [asset.preview_url, picture_url].map((url) => new URL(url ?? '').pathname)
    const reached = new Map<string, number[]>()
    const note = (route: string, status: number) =>
      reached.set(route, [...(reached.get(route) ?? []), status])

    const endpoints = await allEndpoints()
    for (const { method, path, thing, place } of relations.filter((row) => row.method === 'GET')) {
      const endpoint = endpoints.find((one) => one.method === method && one.path === path)
      if (!endpoint) throw new Error(`not described: ${path}`)
      const { path: at } = requestTo(endpoint, place, named.get(thing)?.id ?? '')
      for (const caller of callers) note(`GET ${path}`, (await caller.get(at)).status)
      const [owner] = callers
      await owner?.get(at, { 'If-None-Match': '*' })
      await owner?.get(`${at}${at.includes('?') ? '&' : '?'}limit=x&unknown=1`)
    }
    const others = servedRoutes.filter((route) => /^GET \/(?!v1|pictures)/.test(route))
    for (const route of others)
      for (const query of ['', '?x=1']) {
        const at = route.slice(4).replace('*', 'files')
        note(route, (await edge.fetch(new Request(origin + at + query))).status)
      }
    const signed = new URL(secret.preview_url ?? '')
    const [path = ''] = pictures
    for (const at of [
      signed.pathname + signed.search,
      path + signed.search,
      `${path}?expires=1&signature=x`,
      `${path}?`,
      path.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
      signed.pathname,
      `${signed.pathname}x`,
      '/pictures',
      '/nothing',
      '/',
    ])
      await send('GET', at, {}, edge.fetch)
    expect([...edge.kept.keys()]).toEqual([])

    for (const at of pictures) await send('GET', at, {}, edge.fetch)
    expect([...edge.kept.keys()]).toEqual(pictures)
    expect((await publicEndpoints()).length).toBe(pictures.length)
    const gets = servedRoutes.filter((route) => /^GET \/(?!pictures)/.test(route))
    expect(new Set(reached.keys()), 'every route is asked').toEqual(new Set(gets))
    const unreached = [...reached].filter(([, statuses]) => !statuses.includes(200)).map(([route]) => route)
    expect(unreached, 'a socket needs an Upgrade, which the cache lets pass').toEqual([
      'GET /v1/notifications/ws',
    ])
  })

  it('may be absent: then pictures are as they are without it', async () => {
    const ada = await signUpCreator('ada')
    const { picture_url } = await ada.choose(await ada.picture())
    expect((await show(picture_url, {}, service)).status).toBe(200)
    await ada.choose(null)
    expect((await show(picture_url, {}, service)).status).toBe(404)
  })
})
