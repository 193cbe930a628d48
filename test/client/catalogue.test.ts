import { describe, expect, it } from 'vitest'
import { type Client, ServiceError } from '#client'
import { bytes } from '../support/content.ts'
import { png } from '../support/pictures.ts'
import { show } from '../support/showing.ts'
import { losing, newClient, noting } from './client.ts'

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('this has to be refused'),
    (error: unknown) => error,
  )

/** A tag that no other test uses. */
const newTag = () => crypto.randomUUID().slice(0, 32)

/** A public world with these tags. */
const world = (client: Client, name: string, tags: string[] = []) =>
  client.assets.create({ name, type: 'world', visibility: 'public', tags })

describe('client.catalogue', () => {
  it('sends each tag as a parameter of its own, and finds what has all of them and none of the others', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const [maze, horror] = [newTag(), newTag()]
    const hedge = await world(client, 'Hedge maze', [maze])
    const dark = await world(client, 'Dark maze', [maze, horror])
    const found = async (query: Parameters<Client['catalogue']['list']>[0]) => {
      const ids: string[] = []
      for await (const { id } of client.catalogue.list(query)) ids.push(id)
      return ids
    }
    expect(await found({ tag: [maze] })).toEqual([dark.id, hedge.id])
    requests.length = 0
    expect(await found({ tag: [maze, horror] })).toEqual([dark.id])
    expect(await found({ tag: [maze], exclude_tag: [horror], sort: 'popular' })).toEqual([hedge.id])
    const [both, without] = requests.map(({ url }) => new URL(url).searchParams)
    expect(both?.getAll('tag')).toEqual([maze, horror])
    expect(both?.has('exclude_tag')).toBe(false)
    expect([without?.getAll('tag'), without?.getAll('exclude_tag'), without?.get('sort')]).toEqual([
      [maze],
      [horror],
      'popular',
    ])
  })

  it('needs no query, and takes type, owner and text', async () => {
    const client = await newClient()
    const { owner_id, id } = await world(client, 'Château d’If')
    expect(
      (await client.catalogue.list({ type: 'world', owner_id, q: 'chateau' }).page()).assets,
    ).toMatchObject([{ id, name: 'Château d’If', preview_url: null, favorites: 0 }])
    expect((await client.catalogue.list({ type: 'prop', owner_id }).page()).assets).toEqual([])
    expect((await client.catalogue.list().page()).assets.length).toBeGreaterThan(0)
  })

  it('reads on over short and empty pages until there is no cursor', async () => {
    const { requests, fetch } = noting(async (request, next) => {
      const url = new URL(request.url)
      if (url.searchParams.get('cursor')) return next(request)
      const answer = await next(request)
      const page: object = await answer.json()
      return Response.json({ ...page, assets: [] }, answer)
    })
    const client = await newClient(fetch)
    const tag = newTag()
    const made: string[] = []
    for (const name of ['a', 'b', 'c']) made.unshift((await world(client, name, [tag])).id)
    requests.length = 0
    const found: string[] = []
    for await (const { id } of client.catalogue.list({ tag: [tag], limit: 1 })) found.push(id)
    expect(found).toEqual(made.slice(1))
    const pages = requests.filter(({ url }) => new URL(url).pathname === '/v1/game/public')
    expect(pages).toHaveLength(3)
    for (const { url } of pages) expect(new URL(url).searchParams.getAll('tag')).toEqual([tag])
  })
})

describe('client.setPreview', () => {
  it('sends the bytes of a picture, and returns the asset with its etag, which the next change can require', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const { id } = await world(client, 'Castle')
    const { etag, ...asset } = await client.assets.setPreview({ id, content: png, mime_type: 'image/png' })
    const { etag: now, versions, ...read } = await client.assets.get({ id })
    expect([asset, etag]).toEqual([read, now])
    expect(requests.at(-2)?.headers.get('Content-Type')).toBe('image/png')
    const shown = await show(asset.preview_url)
    expect([shown.status, shown.bytes]).toEqual([200, png])

    await client.assets.edit({ id, tags: ['castle'] }, { ifMatch: etag })
    const late = await caught(client.assets.deletePreview({ id }, { ifMatch: etag }))
    expect(late).toBeInstanceOf(ServiceError)
    expect(late).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect((await client.assets.get({ id })).preview_url).toBe(asset.preview_url)
  })

  it('is repeated when its answer is lost', async () => {
    const { requests, fetch } = losing(1, ({ method }) => method === 'PUT')
    const client = await newClient(fetch)
    const { id } = await world(client, 'Castle')
    const { preview_url } = await client.assets.setPreview({ id, content: png, mime_type: 'image/png' })
    expect((await show(preview_url)).status).toBe(200)
    expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(2)
  })
})

describe('client.upload of an asset', () => {
  it('takes the page of a new asset, and the notes of its version', async () => {
    const client = await newClient()
    const page = {
      description: 'Find the way out.',
      tags: ['maze', 'horror'],
      metadata: { players: { max: 4 } },
      listed: false,
    }
    const { asset, version } = await client.assets.upload({
      content: bytes('one way out'),
      asset_type: 'world',
      name: 'Dark maze',
      notes: 'The first version.',
      ...page,
    })
    expect([asset, version]).toMatchObject([page, { version: 1, notes: 'The first version.' }])
  })

  it('adds a version with ifMatch only to an asset that nobody has changed since', async () => {
    const client = await newClient()
    const { id } = await world(client, 'Castle')
    const { etag } = await client.assets.get({ id })
    const add = (notes: string, ifMatch: string) =>
      client.assets.upload({ content: bytes(notes), asset_id: id, notes }, { ifMatch })
    expect((await add('A fifth tower.', etag)).version.notes).toBe('A fifth tower.')
    expect(await caught(add('A moat.', etag))).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect((await client.assets.get({ id })).current_version).toBe(1)
  })
})

describe('favorites', () => {
  it('are set, listed last added first, and taken back', async () => {
    const [creator, player] = [await newClient(), await newClient()]
    const made = [await world(creator, 'Castle'), await world(creator, 'Forest')]
    for (const { id } of made) await player.favorites.add({ id })
    const names: string[] = []
    for await (const { name } of player.favorites.list({ limit: 1 })) names.push(name)
    expect(names).toEqual(['Forest', 'Castle'])
    for (const { id } of made.slice(1)) await player.favorites.remove({ id })
    expect((await player.favorites.list().page()).assets).toMatchObject([{ name: 'Castle' }])
  })
})
