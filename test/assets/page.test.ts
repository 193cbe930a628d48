import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { aged, type Creator, signUpCreator, summaryOf } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { newKey } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { records } from '../support/records.ts'
import { operator } from '../support/user.ts'

/** A page with every member, each other than when it is left out. */
const page = {
  description: 'A castle.\r\n\tWith a moat: «É», e\u0301, 城 🏰, \u200Fשלום.  ',
  tags: ['zebra', 'a', '0-_', 'x'.repeat(32)],
  metadata: { seed: 7, rooms: [{ name: 'hall' }, null], deep: { on: true } },
  listed: false,
}
const none = { description: '', tags: [], metadata: {}, listed: true }

/** An object of so many bytes in JSON. */
const objectOf = (size: number) => ({ a: 'x'.repeat(size - '{"a":""}'.length) })

const refusals: [what: string, member: Record<string, unknown>][] = [
  ['a description that is null', { description: null }],
  ['a description that is no string', { description: 7 }],
  ['a description of 5,001 characters', { description: '🏰'.repeat(5_001) }],
  ['a description with NUL', { description: 'a\0b' }],
  ['a description with a control character', { description: 'a\u001bb' }],
  ['a description with a control character of C1', { description: 'a\u0085b' }],
  ['a description that turns the writing direction', { description: 'a\u202eb' }],
  ['a description that isolates the writing direction', { description: 'a\u2067b' }],
  ['a description with half of a surrogate pair', { description: 'a\ud800b' }],
  ['tags that are null', { tags: null }],
  ['tags that are no list', { tags: 'castle' }],
  ['17 tags', { tags: Array.from({ length: 17 }, (_, i) => `tag${i}`) }],
  ['a tag twice', { tags: ['a', 'b', 'a'] }],
  ['an empty tag', { tags: [''] }],
  ['a tag of 33 characters', { tags: ['x'.repeat(33)] }],
  ['a tag in upper case', { tags: ['Castle'] }],
  ['a tag with a space', { tags: ['big castle'] }],
  ['a tag with a line end', { tags: ['castle\n'] }],
  ['a tag with a hash', { tags: ['#castle'] }],
  ['a tag with an accent', { tags: ['château'] }],
  ['a tag that is null', { tags: [null] }],
  ['metadata that are null', { metadata: null }],
  ['metadata that are a list', { metadata: [] }],
  ['metadata that are a string', { metadata: '{}' }],
  ['metadata of 4,097 bytes', { metadata: objectOf(4_097) }],
  ['metadata of 4,097 bytes in UTF-8', { metadata: { a: `${'é'.repeat(2_044)}x` } }],
  ['listed that is null', { listed: null }],
  ['listed that is no boolean', { listed: 'false' }],
  ['listed that is a number', { listed: 0 }],
]

/** The member that a refusal is about. */
const memberOf = (body: object) => `/${Object.keys(body)[0]}`

const limits: [what: string, member: Record<string, unknown>][] = [
  ['a description of 5,000 characters', { description: '🏰'.repeat(5_000) }],
  ['16 tags', { tags: Array.from({ length: 16 }, (_, i) => `tag${i}`) }],
  ['metadata of 4,096 bytes', { metadata: objectOf(4_096) }],
  ['metadata of 64 levels', { metadata: JSON.parse(`{"a":${'['.repeat(63)}${']'.repeat(63)}}`) }],
  ['metadata with half of a surrogate pair', { metadata: { a: '\ud800' } }],
  ['metadata with __proto__', { metadata: JSON.parse('{"__proto__":{"a":1}}') }],
]

/** Has an asset published at another time, so that a later time can be told from it. */
async function published(asset: { id: string }, at: number): Promise<void> {
  await databaseOf(asset.id)
    .prepare('UPDATE game_assets SET public_since = ? WHERE id = ?')
    .bind(at, asset.id)
    .run()
}

async function two(): Promise<[Creator, Creator]> {
  return [await signUpCreator('ada'), await signUpCreator('bob')]
}

describe('the page of an asset', () => {
  it('is empty unless the creation says otherwise, and then as it says, order kept', async () => {
    const ada = await signUpCreator()
    expect(await ada.emptyAsset('bare')).toMatchObject(none)
    const answer = await ada.createAsset({ name: 'full', type: 'prop', ...page })
    const asset = made(records.GameAsset, answer, 201)
    expect(answer.body).toEqual({ ...asset, ...page })
    expect((await ada.readAsset(asset)).body).toEqual({ ...asset, versions: [] })
  })

  it('changes member by member, each as a whole, and an omitted member stays', async () => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('a')
    let now: object = asset
    for (const change of [
      { description: page.description },
      { tags: page.tags, metadata: page.metadata },
      { listed: false, name: 'b' },
      { metadata: { other: 1 }, tags: ['x'] },
      none,
    ]) {
      const { status, body } = await ada.editAsset(asset, change)
      now = { ...now, ...change, updated_at: expect.any(Number) }
      expect([status, body]).toEqual([200, now])
      expect((await ada.readAsset(asset)).body).toEqual({ ...(body as object), versions: [] })
    }
  })

  it('moves updated_at when it changes, and is the owner’s to change', async () => {
    const [ada, bob] = await two()
    const asset = await ada.emptyAsset('a', { visibility: 'public' })
    for (const [member, value] of Object.entries(page)) {
      await aged(asset)
      const body = made(records.GameAsset, await ada.editAsset(asset, { [member]: value }), 200)
      expect(Date.now() / 1000 - body.updated_at, member).toBeLessThan(1_800)
      expect(await bob.editAsset(asset, { [member]: value })).toBeProblem(404, 'ASSET_NOT_FOUND')
    }
  })

  it.each(refusals)('may not have %s', async (_, member) => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('a', page)
    const refused = [400, 'VALIDATION_FAILED', memberOf(member)] as const
    expect(await ada.createAsset({ name: 'b', type: 'world', ...member })).toBeProblem(...refused)
    expect(await ada.editAsset(asset, { name: 'b', ...member })).toBeProblem(...refused)
    const upload = { name: 'b', asset_type: 'world', ...member }
    expect(await ada.startContent(upload)).toBeProblem(...refused)
    expect((await ada.readAsset(asset)).body).toEqual({ ...asset, versions: [] })
    expect(await ada.assetNames('/assets')).toEqual(['a'])
  })

  it.each(limits)('may have %s', async (_, member) => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('a', member)
    const uploaded = await ada.asset('b', member)
    const edited = await ada.emptyAsset('c')
    expect((await ada.editAsset(edited, member)).status).toBe(200)
    for (const one of [asset, uploaded, edited])
      expect(JSON.stringify((await ada.readAsset(one)).body)).toContain(JSON.stringify(member).slice(1, -1))
  })

  it('comes with the upload of a new asset, also when others complete under another name', async () => {
    const [ada, bob] = await two()
    const bare = await ada.asset('bare')
    expect(bare).toMatchObject(none)
    const asset = await ada.asset('a', { visibility: 'public', ...page })
    expect((await bob.readAsset(asset)).body).toMatchObject({ ...page, name: 'a' })
    const upload = await ada.sent({ name: 'b', asset_type: 'prop', ...page })
    await ada.emptyAsset('b')
    const done = made(records.CompletedAsset, await ada.complete(upload, { name: 'c' }), 200)
    expect(done.asset).toMatchObject({ ...page, name: 'c' })
    expect((await ada.complete(upload)).body).toMatchObject({ asset: page })
    await expectSound(ada.id)
  })

  it('is another request under the same key when it is another page, and the same without one', async () => {
    const ada = await signUpCreator()
    for (const start of [
      (more: object, headers: Record<string, string>) =>
        ada.createAsset({ name: 'a', type: 'world', ...more }, headers),
      (more: object, headers: Record<string, string>) =>
        ada.startContent({ name: 'b', asset_type: 'world', ...more }, headers),
    ]) {
      const key = newKey()
      expect((await start(page, key)).status).toBe(201)
      expect((await start(page, key)).status).toBe(201)
      for (const other of [
        {},
        { ...page, description: 'b' },
        { ...page, tags: [] },
        { ...page, listed: true },
      ])
        expect(await start(other, key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
      expect(await start({ ...page, metadata: {} }, key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    }
  })

  it('is in lists without its description and metadata', async () => {
    const [ada, bob] = await two()
    const asset = await ada.asset('a', { visibility: 'public', ...page })
    expect((await ada.assets('/assets')).assets).toEqual([summaryOf(asset)])
    const branch = (await bob.branched(asset)).asset
    const branches = made(records.BranchPage, await bob.get(`/game/assets/${asset.id}/branches`), 200)
    expect(branches.branches).toEqual([summaryOf(branch)])
    expect((await bob.get(`/game/public/world/${asset.id}`)).body).toMatchObject(page)
    await ada.deleteAsset(asset)
    const { body, text } = await ada.get('/game/assets?deleted=true')
    expect(body).toEqual({ assets: [summaryOf(asset)], next_cursor: null })
    expect(text).not.toContain('moat')
  })

  it('begins in a branch with the description and tags of its source, and nothing else', async () => {
    const [ada, bob] = await two()
    const source = await ada.asset('a', { visibility: 'public', ...page })
    for (const user of [ada, bob]) {
      const { asset } = await user.branched(source, 'branch')
      const { description, tags } = page
      expect(asset).toMatchObject({ ...none, description, tags, published_at: null })
      await ada.editAsset(source, { description: 'other' })
      expect((await user.readAsset(asset)).body).toMatchObject({ description, tags })
      await ada.editAsset(source, page)
    }
  })

  it('stays while the asset is deleted and restored, and with new versions', async () => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('a', page)
    await ada.version(asset)
    await ada.deleteAsset(asset)
    expect((await ada.restoreAsset(asset, { name: 'b' })).body).toMatchObject({ ...page, name: 'b' })
  })
})

describe('published_at', () => {
  it('is null while the asset is private, and else when it became public after a day of being private, or for the first time', async () => {
    const ada = await signUpCreator()
    const shown = { visibility: 'public' }
    const at = async () => (await ada.readAsset(asset)).body as { published_at: number | null }
    const asset = await ada.emptyAsset('a')
    expect(asset.published_at).toBeNull()
    const moderator = await operator('content:moderate')
    await aged(asset)
    const first = made(records.GameAsset, await ada.editAsset(asset, shown), 200)
    expect(Math.abs((first.published_at ?? 0) - Date.now() / 1000)).toBeLessThan(60)
    const keeps: (() => Promise<unknown>)[] = [
      () => ada.editAsset(asset, shown),
      () => ada.editAsset(asset, { name: 'b', listed: false }),
      () => ada.editAsset(asset, { listed: true, ...shown }),
      () => ada.version(asset),
      () => moderator.request('PUT', `/game/assets/${asset.id}/block`),
      () => moderator.request('DELETE', `/game/assets/${asset.id}/block`),
      () => ada.deleteAsset(asset),
    ]
    for (const act of keeps) {
      await published(asset, 1_000)
      await act()
      if (String(act).includes('deleteAsset')) await ada.restoreAsset(asset)
      expect(await at(), String(act)).toMatchObject({ published_at: 1_000 })
    }
    const publishedAgain = async () => {
      await ada.editAsset(asset, { visibility: 'private' })
      await ada.editAsset(asset, { visibility: 'private' })
      expect(await at()).toMatchObject({ published_at: null })
      return async (days: number) => {
        await databaseOf(asset.id)
          .prepare('UPDATE game_assets SET private_since = private_since - ? WHERE id = ?')
          .bind(days * 86_400, asset.id)
          .run()
        return made(records.GameAsset, await ada.editAsset(asset, shown), 200)
      }
    }
    expect((await (await publishedAgain())(0)).published_at).toBe(1_000)
    expect((await (await publishedAgain())(0.99)).published_at).toBe(1_000)
    expect((await (await publishedAgain())(1)).published_at).toBeGreaterThan(1_000)
  })

  it('does not bring an asset back to the first page of the catalogue that becomes private and public again', async () => {
    const ada = await signUpCreator()
    const [first, second] = [
      await ada.emptyAsset('a', { visibility: 'public' }),
      await ada.emptyAsset('b', { visibility: 'public' }),
    ]
    await published(first, 1_700_000_000)
    await published(second, 1_700_000_001)
    await ada.editAsset(second, { description: 'Its entry is written anew.' })
    for (const visibility of ['private', 'public']) await ada.editAsset(first, { visibility })
    const page = await ada.get(`/game/public?owner_id=${ada.id}`)
    const { assets } = made(z.object({ assets: z.array(z.object({ id: z.string() })) }), page, 200)
    expect(assets.map(({ id }) => id)).toEqual([second.id, first.id])
  })

  it('is the creation of what was public from the start, by an upload, too', async () => {
    const ada = await signUpCreator()
    for (const asset of [
      await ada.emptyAsset('a', { visibility: 'public' }),
      await ada.asset('b', { visibility: 'public' }),
    ])
      expect(asset.published_at).toBe(asset.created_at)
    expect((await ada.asset('c')).published_at).toBeNull()
  })
})
