import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { boundedTo, type Creator, lockRating, signUpCreator } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { unknownId } from '../support/ids.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'

const levels = [null, 'everyone', 'teen', 'mature'] as const
type Rating = (typeof levels)[number]

const codeIn = (body: unknown) =>
  typeof body === 'object' && body !== null && 'code' in body ? body.code : body

const pageOf = async (user: Creator, path: string) =>
  made(records.GameAssetPage, await user.get(path), 200).assets

const ratingOf = async (user: Creator, asset: { id: string }) =>
  made(records.GameAssetWithVersions, await user.readAsset(asset), 200).rating

/** What an edit of the rating answers: the rating, or the code. */
async function rate(user: Creator, asset: { id: string }, rating: unknown): Promise<unknown> {
  const answer = await user.editAsset(asset, { rating })
  return answer.status === 200 ? made(records.GameAsset, answer, 200).rating : codeIn(answer.body)
}

describe('the rating of an asset', () => {
  it.each(levels)('is %s as its creator says, in the record and in lists', async (rating) => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset('castle', { rating, visibility: 'public' })
    const uploaded = await ada.asset('tower', { rating, visibility: 'public' })
    expect([asset.rating, uploaded.rating]).toEqual([rating, rating])
    expect(await ratingOf(ada, uploaded)).toBe(rating)
    for (const list of ['/assets', `/public?owner_id=${ada.id}`]) {
      const { assets } = await ada.assets(list)
      expect(assets.map((one) => [one.name, one.rating])).toEqual([
        ['tower', rating],
        ['castle', rating],
      ])
    }
  })

  it('is null when nobody has said it', async () => {
    const ada = await signUpCreator('ada')
    expect([(await ada.emptyAsset('a')).rating, (await ada.asset('b')).rating]).toEqual([null, null])
  })

  it('changes with PUT, up and down, and with it the ETag', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset()
    const tags = new Set([await ada.tagOf(asset)])
    for (const rating of [null, 'mature', 'everyone', 'teen']) {
      expect(await rate(ada, asset, rating)).toBe(rating)
      tags.add(await ada.tagOf(asset))
    }
    expect(tags.size).toBe(5)
    await ada.editAsset(asset, { name: 'other' })
    expect(await ratingOf(ada, asset)).toBe('teen')
  })

  it('is not taken back: null is VALIDATION_FAILED and changes nothing else', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset('castle', { rating: 'teen' })
    const answer = await ada.editAsset(asset, { rating: null, name: 'other', visibility: 'public' })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', 'rating')
    expect(answer.body).toMatchObject({ errors: [{ in: 'body', path: '/rating' }] })
    expect((await ada.readAsset(asset)).body).toMatchObject({
      name: 'castle',
      visibility: 'private',
      rating: 'teen',
    })
    const stale = { 'If-Match': '"99"' }
    expect(await ada.editAsset(asset, { rating: null }, stale)).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await ada.editAsset(unknownId, { rating: null })).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it.each(['adult', 'Teen', '', 3, true, ['teen']])('is VALIDATION_FAILED as %j', async (rating) => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset()
    const bad = [
      await ada.createAsset({ name: 'x', type: 'world', rating }),
      await ada.startUpload({
        upload_type: 'game_asset',
        asset_type: 'world',
        name: 'y',
        size_bytes: 1,
        mime_type: 'a/b',
        rating,
      }),
      await ada.editAsset(asset, { rating }),
      await ada.branch(asset, { name: 'z', rating }),
    ]
    for (const answer of bad) expect(answer).toBeProblem(400, 'VALIDATION_FAILED', 'rating')
  })

  it('belongs to a new asset: an upload of a version does not take it', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset()
    const body = { upload_type: 'game_asset', asset_id: asset.id, size_bytes: 1, mime_type: 'a/b' }
    expect(await ada.startUpload({ ...body, rating: 'teen' })).toBeProblem(400, 'VALIDATION_FAILED', 'rating')
  })
})

describe('a locked rating', () => {
  it('refuses a lower one with RATING_LOCKED, with all that the request would have changed', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset('castle', { rating: 'everyone' })
    await lockRating(asset, 'teen')
    expect(await ratingOf(ada, asset)).toBe('teen')
    const answer = await ada.editAsset(asset, { rating: 'everyone', name: 'other', visibility: 'public' })
    expect(answer).toBeProblem(403, 'RATING_LOCKED')
    expect((await ada.readAsset(asset)).body).toMatchObject({ name: 'castle', visibility: 'private' })
    expect(await rate(ada, asset, null)).toBe('VALIDATION_FAILED')
    expect(await rate(ada, asset, 'mature')).toBe('mature')
    expect(await rate(ada, asset, 'teen')).toBe('teen')
    expect((await ada.editAsset(asset, { name: 'other' })).status).toBe(200)
  })

  it('is met after the owner and If-Match: nobody else learns of it', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const asset = await ada.emptyAsset('castle', { visibility: 'public' })
    await lockRating(asset, 'mature')
    expect(await rate(bob, asset, 'teen')).toBe('ASSET_NOT_FOUND')
    const stale = { 'If-Match': '"1"' }
    expect(await ada.editAsset(asset, { rating: 'teen' }, stale)).toBeProblem(412, 'PRECONDITION_FAILED')
  })

  it('can be lower again once the lock has ended', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset()
    await lockRating(asset, 'mature')
    expect(await rate(ada, asset, 'everyone')).toBe('RATING_LOCKED')
    await lockRating(asset, null)
    expect(await rate(ada, asset, 'everyone')).toBe('everyone')
  })

  it('is held by the database, whatever statement changes it', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset('castle', { rating: 'mature' })
    const set = (changes: string) =>
      databaseOf(asset.id).prepare(`UPDATE game_assets SET ${changes} WHERE id = ?`).bind(asset.id).run()
    await set("rating_locked = 'teen'")
    await expect(set("rating = 'everyone'")).rejects.toThrow('refused:RATING_LOCKED')
    await expect(set("rating = 'teen', rating_locked = 'mature'")).rejects.toThrow('refused:RATING_LOCKED')
    await expect(set('rating = NULL')).rejects.toThrow('refused:VALIDATION_FAILED')
    await set('rating = NULL, rating_locked = NULL')
    await expect(set("rating_locked = 'teen'")).rejects.toThrow('CHECK')
    expect(await ratingOf(ada, asset)).toBe(null)
  })
})

describe('the rating of a branch', () => {
  /** The higher one of two ratings. */
  const higher = (one: Rating, other: Rating) => (levels.indexOf(one) > levels.indexOf(other) ? one : other)
  const pairs = levels.flatMap((source) => levels.map((asked) => [source, asked] as const))

  it.each(pairs)('of a source with %s is the higher one when %s is asked for', async (source, asked) => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const asset = await ada.asset('castle', { rating: source, visibility: 'public' })
    for (const user of [ada, bob]) {
      const answer = await user.branch(asset, { name: 'branch', ...(asked && { rating: asked }) })
      expect(made(records.Branch, answer, 201).asset.rating).toBe(higher(source, asked))
    }
  })

  it('is locked for the owner of a locked source, and of a branch of that, and for nobody else', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const asset = await ada.asset('castle', { visibility: 'public' })
    await lockRating(asset, 'teen')
    const own = (await ada.branched(asset, 'own')).asset
    const ownAgain = (await ada.branched(own, 'again')).asset
    const bobs = (await bob.branched(asset, 'bobs')).asset
    expect([own.rating, ownAgain.rating, bobs.rating]).toEqual(['teen', 'teen', 'teen'])
    expect([await rate(ada, own, 'everyone'), await rate(ada, ownAgain, 'everyone')]).toEqual([
      'RATING_LOCKED',
      'RATING_LOCKED',
    ])
    expect(await rate(bob, bobs, 'everyone')).toBe('everyone')
  })
})

/** Ada's public assets, one of each rating, by the rating. */
async function ofEach(ada: Creator) {
  const assets = []
  for (const rating of levels)
    assets.push(await ada.asset(`${rating} castle`, { rating, visibility: 'public' }))
  return assets
}

const bounds = [
  ['everyone', 'everyone', [null, 'everyone']],
  ['teen', 'everyone', [null, 'everyone', 'teen']],
  ['mature', 'everyone', [null, 'everyone', 'teen', 'mature']],
  ['everyone', 'teen', ['everyone']],
  ['teen', 'teen', [null, 'everyone', 'teen']],
  ['everyone', 'mature', ['everyone']],
  ['teen', 'mature', ['everyone', 'teen']],
  ['mature', 'mature', [null, 'everyone', 'teen', 'mature']],
] as const

describe('the claim max_rating', () => {
  it.each(bounds)(
    '%s, where unrated assets count as %s, shows assets of others with %j',
    async (max_rating, UNRATED_AS, shown) => {
      const service = serviceWith({ UNRATED_AS })
      const [ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
      const assets = await ofEach(ada)
      for (const asset of assets) expect((await bob.favor(asset)).status).toBe(204)
      const bounded = await boundedTo(bob, max_rating, service)
      const isShown = (rating: Rating) => shown.some((one) => one === rating)
      for (const asset of assets) {
        const expected = isShown(asset.rating) ? 200 : 404
        for (const path of [
          `assets/${asset.id}`,
          `assets/${asset.id}/versions/1/url`,
          `public/world/${asset.id}`,
        ])
          expect((await bounded.get(`/game/${path}`)).status, `${asset.rating} ${path}`).toBe(expected)
      }
      const names = assets
        .filter(({ rating }) => isShown(rating))
        .map(({ name }) => name)
        .reverse()
      for (const list of [
        'favorites',
        `public?owner_id=${ada.id}`,
        'public?q=castle',
        'public?q=castle&type=world',
      ]) {
        const hers = (await pageOf(bounded, `/game/${list}`)).filter(({ owner_id }) => owner_id === ada.id)
        const found = hers.map(({ name }) => name)
        expect(found, list).toEqual(names)
      }
      const items = assets.map(({ id }) => ({ asset_id: id }))
      const urls = await bounded.assetUrls(items)
      expect(urls.map(({ code }) => code ?? 'a URL')).toEqual(
        assets.map(({ rating }) => (isShown(rating) ? 'a URL' : 'ASSET_NOT_FOUND')),
      )
    },
  )

  it('hides nothing of one’s own', async () => {
    const ada = await signUpCreator('ada')
    const bounded = await boundedTo(ada, 'everyone')
    const assets = await ofEach(ada)
    const names = assets.map(({ name }) => name).reverse()
    for (const list of ['/assets', `/public?owner_id=${ada.id}`, `/public?owner_id=${ada.id}&q=castle`])
      expect(
        (await bounded.assets(list)).assets.map(({ name }) => name),
        list,
      ).toEqual(names)
    for (const asset of assets) {
      expect((await bounded.readAsset(asset)).status).toBe(200)
      expect((await bounded.get(`/game/public/world/${asset.id}`)).status).toBe(200)
      expect((await bounded.branch(asset, { name: `a branch of ${asset.name}` })).status).toBe(201)
    }
  })

  it('hides a branch above it from the list of its source, and a source above it from a branch', async () => {
    const [ada, bob, eve] = [
      await signUpCreator('ada'),
      await signUpCreator('bob'),
      await signUpCreator('eve'),
    ]
    const source = await ada.asset('source', { rating: 'everyone', visibility: 'public' })
    const branch = (await bob.branched(source, 'branch')).asset
    await bob.editAsset(branch, { visibility: 'public', rating: 'mature' })
    const bounded = await boundedTo(eve, 'teen')
    expect([await eve.branchNames(source), await bounded.branchNames(source)]).toEqual([['branch'], []])
    expect(await (await boundedTo(bob, 'teen')).branchNames(source)).toEqual(['branch'])

    await bob.editAsset(branch, { rating: 'everyone' })
    const lineage = async (user: Creator) => {
      const { versions } = made(records.GameAssetWithVersions, await user.readAsset(branch), 200)
      return versions.map(({ branched_from_asset_id }) => branched_from_asset_id)
    }
    expect(await lineage(bounded)).toEqual([source.id])
    await ada.editAsset(source, { rating: 'mature' })
    expect([await lineage(eve), await lineage(bounded)]).toEqual([[source.id], [null]])
    expect(await bounded.get(`/game/assets/${source.id}/branches`)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it('is in force for a favorite that has been rated higher since, which can be taken back', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const asset = await ada.emptyAsset('castle', { visibility: 'public' })
    const bounded = await boundedTo(bob, 'teen')
    expect((await bounded.favor(asset)).status).toBe(204)
    await ada.editAsset(asset, { rating: 'mature' })
    expect(await pageOf(bounded, '/game/favorites')).toEqual([])
    expect(await pageOf(bob, '/game/favorites')).toHaveLength(1)
    expect((await bounded.unfavor(asset)).status).toBe(204)
    expect(await bounded.unfavor(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await bounded.favor(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })
})

describe('max_rating= of the catalogue', () => {
  it.each(bounds)(
    '%s, where unrated assets count as %s, shows assets with %j',
    async (max_rating, UNRATED_AS, shown) => {
      const service = serviceWith({ UNRATED_AS })
      const ada = await signUpCreator('ada', service)
      const assets = await ofEach(ada)
      const names = assets
        .filter(({ rating }) => shown.some((one) => one === rating))
        .map(({ name }) => name)
        .reverse()
      for (const query of ['', '&q=castle', '&type=world', '&sort=updated'])
        expect(
          (await ada.assets(`/public?owner_id=${ada.id}&max_rating=${max_rating}${query}`)).assets.map(
            ({ name }) => name,
          ),
        ).toEqual(names)
    },
  )

  it.each(['adult', '', 'Teen'])('is VALIDATION_FAILED as %j', async (max_rating) => {
    const ada = await signUpCreator('ada')
    expect(await ada.get(`/game/public?max_rating=${max_rating}`)).toBeProblem(400, 'VALIDATION_FAILED')
  })

  it('is part of the list that a cursor belongs to, and the claim is not', async () => {
    const ada = await signUpCreator('ada')
    await ofEach(ada)
    const { next_cursor } = await ada.assets(`/public?owner_id=${ada.id}&limit=1`)
    const rest = `/game/public?owner_id=${ada.id}&cursor=${next_cursor}`
    expect(await pageOf(ada, rest)).toHaveLength(3)
    expect(await pageOf(await boundedTo(ada, 'teen'), rest)).toHaveLength(3)
    expect(await ada.get(`${rest}&max_rating=teen`)).toBeProblem(400, 'INVALID_CURSOR')
  })
})
