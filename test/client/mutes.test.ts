import { describe, expect, it } from 'vitest'
import type { Client } from '#client'
import { newUserId } from '../support/ids.ts'
import { losing, newClient, noting } from './client.ts'

/** A tag that no other test uses. */
const newTag = () => crypto.randomUUID().slice(0, 32)

/** Publishes a world with this tag, and returns its owner. */
async function publish(name: string, tag: string): Promise<string> {
  const client = await newClient()
  const { owner_id } = await client.assets.create({ name, type: 'world', visibility: 'public', tags: [tag] })
  return owner_id
}

const names = async (client: Client, tag: string, limit?: number) => {
  const found: string[] = []
  for await (const { name } of client.catalogue.list({ tag: [tag], ...(limit && { limit }) }))
    found.push(name)
  return found
}

/** The requests of mutes among these. */
const ofMutes = (requests: Request[]) =>
  requests.filter(({ url }) => new URL(url).pathname.startsWith('/v1/mutes'))

describe('client.mutes', () => {
  it('mutes, lists and unmutes', async () => {
    const client = await newClient()
    const [one, other] = [newUserId(), newUserId()]
    for (const user_id of [one, other]) await client.mutes.add({ user_id })
    const ids = async () => (await client.mutes.list().page()).mutes.map(({ user_id }) => user_id)
    expect(await ids()).toEqual([other, one])
    await client.mutes.remove({ user_id: other })
    expect(await ids()).toEqual([one])
  })
})

describe('client.catalogue', () => {
  it('leaves the assets of muted users out of items and of pages, and has them again when the mute ends', async () => {
    const tag = newTag()
    const muted = await publish('loud', tag)
    await publish('quiet', tag)
    const client = await newClient()
    expect(await names(client, tag)).toEqual(['quiet', 'loud'])
    await client.mutes.add({ user_id: muted })
    expect(await names(client, tag)).toEqual(['quiet'])
    expect(await names(client, tag, 1)).toEqual(['quiet'])
    const { assets, next_cursor } = await client.catalogue.list({ tag: [tag] }).page()
    expect([assets.map(({ name }) => name), next_cursor]).toEqual([['quiet'], null])
    const pages: number[] = []
    for await (const { assets } of client.catalogue.list({ tag: [tag], limit: 1 }).pages())
      pages.push(assets.length)
    expect(pages).toEqual([1, 0])
    await client.mutes.remove({ user_id: muted })
    expect(await names(client, tag)).toEqual(['quiet', 'loud'])
  })

  it('reads the mutes once, all pages of them, beside the first page of the catalogue', async () => {
    const tag = newTag()
    const muted = await publish('loud', tag)
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    // Behind a page of 100 others, and muted by another device.
    await client.mutes.add({ user_id: muted })
    for (let other = 0; other < 100; other++) await client.mutes.add({ user_id: `player ${other}` })
    const token = requests[0]?.headers.get('Authorization')?.slice('Bearer '.length) ?? ''
    const later = await newClient(fetch, { token })
    requests.length = 0
    expect(await names(later, tag)).toEqual([])
    expect(await names(later, tag)).toEqual([])
    expect(ofMutes(requests).map(({ method }) => method)).toEqual(['GET', 'GET'])
    expect(requests.length).toBe(4)
  })

  it('costs a user who has muted nobody one request more, once', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const tag = newTag()
    await Promise.all([names(client, tag), names(client, tag)])
    await names(client, tag)
    expect([requests.length, ofMutes(requests).length]).toEqual([4, 1])
  })

  it('has the client’s own changes also while the mutes are read', async () => {
    const tag = newTag()
    const muted = await publish('loud', tag)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const { fetch } = noting(async (request, next) => {
      const answer = await next(request)
      if (request.method === 'GET' && new URL(request.url).pathname === '/v1/mutes') await held
      return answer
    })
    const client = await newClient(fetch)
    const reading = names(client, tag)
    await client.mutes.add({ user_id: muted })
    release()
    expect(await reading).toEqual([])
  })

  it('fails with the mutes, and reads them again at the next use', async () => {
    const tag = newTag()
    await publish('quiet', tag)
    const isRead = ({ method, url }: Request) => method === 'GET' && url.includes('/v1/mutes')
    const { fetch } = losing(1, isRead)
    const client = await newClient(fetch, { retry: { attempts: 1 } })
    await expect(names(client, tag)).rejects.toMatchObject({ code: 'NETWORK' })
    expect(await names(client, tag)).toEqual(['quiet'])
  })
})
