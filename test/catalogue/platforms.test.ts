import { expect, it } from 'vitest'
import { expectCatalogue } from '../support/catalogue.ts'
import { signUpCreator } from '../support/creator.ts'

/** The names of Ada's assets in the catalogue, for a platform. */
async function scene() {
  const ada = await signUpCreator('ada')
  const bob = await signUpCreator('bob')
  const named = (query: string) => bob.assetNames(`/public?owner_id=${ada.id}${query}`)
  return { ada, bob, named }
}

it('lists the assets whose content is for a platform or for all, in every sort and search', async () => {
  const { ada, bob, named } = await scene()
  const declared = { visibility: 'public', tags: ['platforms'] }
  await ada.emptyAsset('castle empty', declared)
  await ada.asset('castle of all', declared)
  await ada.asset('castle of windows', { ...declared, platform: 'windows' })
  const both = await ada.asset('castle of both', { ...declared, platform: 'windows' })
  await ada.variant(both, 1, 'android')
  const more = await ada.asset('castle of more', declared)
  await ada.variant(more, 1, 'android')
  const [of_all, of_both, of_windows] = [
    ['castle empty', 'castle of all', 'castle of more'],
    ['castle of both'],
    ['castle of windows'],
  ]
  for (const sort of [
    '',
    '&sort=updated',
    '&sort=popular',
    '&q=castle',
    '&q=ca',
    '&tag=platforms&type=world',
  ]) {
    const found = async (platform: string) => (await named(`${sort}&platform=${platform}`)).sort()
    expect(await found('windows')).toEqual([...of_all, ...of_both, ...of_windows].sort())
    expect(await found('android')).toEqual([...of_all, ...of_both].sort())
    expect(await found('ios')).toEqual(of_all)
    expect((await named(sort)).length).toBe(5)
  }
  // Without an owner the page may stop early, and goes on.
  expect((await bob.assetNames('/public?tag=platforms&platform=ios', 1)).sort()).toEqual(of_all)
  await expectCatalogue()
})

it('follows each change of the served version’s platforms', async () => {
  const { ada, named } = await scene()
  const asset = await ada.asset('tower', { visibility: 'public', platform: 'windows' })
  const found = () => named('&platform=ios')
  expect(await found()).toEqual([])
  await ada.variant(asset, 1, 'ios')
  expect(await found()).toEqual(['tower'])
  await ada.publish({ asset_id: asset.id, platform: 'windows' })
  expect(await found()).toEqual([])
  await ada.rollBack(asset, { from_version: 1 })
  expect(await found()).toEqual(['tower'])
  await ada.deleteVariant(asset, 3, 'ios')
  expect(await found()).toEqual([])
  const live = { json: { version: 1 } }
  expect((await ada.request('PUT', `/game/assets/${asset.id}/channels/live`, live)).status).toBe(200)
  expect(await found()).toEqual(['tower'])
  await ada.deleteVariant(asset, 1, 'ios')
  expect(await found()).toEqual([])
  await ada.variant(asset, 3, 'mac')
  expect(await named('&platform=mac')).toEqual([])
  await expectCatalogue()
})

it('takes a platform as it is spelt, and no cursor of a list for another one', async () => {
  const { ada, bob } = await scene()
  for (const name of ['a', 'b']) await ada.asset(name, { visibility: 'public' })
  expect(await bob.get('/game/public?platform=iOS')).toBeProblem(400, 'VALIDATION_FAILED')
  const list = `/game/public?owner_id=${ada.id}&limit=1`
  const { body } = await bob.get(`${list}&platform=ios`)
  const cursor = new Map(Object.entries(Object(body))).get('next_cursor')
  expect(typeof cursor).toBe('string')
  expect((await bob.get(`${list}&platform=ios&cursor=${cursor}`)).status).toBe(200)
  for (const other of ['', '&platform=mac'])
    expect(await bob.get(`${list}${other}&cursor=${cursor}`)).toBeProblem(400, 'INVALID_CURSOR')
})
