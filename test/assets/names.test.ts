import { describe, expect, it } from 'vitest'
import type { Answer } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'

const named = ({ body }: Answer) => {
  const { name, asset } = body as { name?: string; asset?: { name: string } }
  return asset ? asset.name : name
}

/** Wherever a request names an asset: what it answers for a name. */
const ways: [string, (ada: Creator, name: unknown) => Promise<Answer>][] = [
  ['creating', (ada, name) => ada.createAsset({ name, type: 'world' })],
  ['renaming', async (ada, name) => ada.editAsset(await ada.emptyAsset('before'), { name })],
  [
    'restoring',
    async (ada, name) => {
      const asset = await ada.emptyAsset('before')
      await ada.deleteAsset(asset)
      return ada.restoreAsset(asset, { name })
    },
  ],
  ['branching', async (ada, name) => ada.branch(await ada.asset('before'), { name })],
  [
    'starting an upload',
    async (ada, name) => {
      const started = await ada.startContent({ name, asset_type: 'world' })
      if (started.status !== 201) return started
      await ada.abort((started.body as { id: string }).id)
      return ada.complete(await ada.sent({ name, asset_type: 'world' }))
    },
  ],
  [
    'completing an upload',
    async (ada, name) => ada.complete(await ada.sent({ name: 'before', asset_type: 'world' }), { name }),
  ],
]

const castle = '\u{1F3F0}'
const legal: [what: string, sent: string, stored: string][] = [
  ['one character', 'a', 'a'],
  ['255 of four bytes each, with white space around', `\n \t${castle.repeat(255)}\u3000`, castle.repeat(255)],
  ['255 that are twice as many before they are composed', 'e\u0301'.repeat(255), '\u00e9'.repeat(255)],
  ['Hangul in pieces', '\u1112\u1161\u11ab', '\ud55c'],
  ['white space inside', ' a  \u3000 b ', 'a  \u3000 b'],
  ['what a file may not be called', '../a\\b', '../a\\b'],
  ['a letter between what cannot be seen', '\u200ba\u200d', '\u200ba\u200d'],
]

const illegal: [what: string, sent: unknown, code: string][] = [
  ['256 characters', castle.repeat(256), 'ASSET_NAME_TOO_LONG'],
  ['256 that are twice as many before they are composed', 'e\u0301'.repeat(256), 'ASSET_NAME_TOO_LONG'],
  ['256 with white space around', `  ${'x'.repeat(256)}  `, 'ASSET_NAME_TOO_LONG'],
  ['nothing', '', 'ASSET_NAME_REQUIRED'],
  ['white space', ' \t\r\n\u00a0\u2003\u3000', 'ASSET_NAME_REQUIRED'],
  ['a number', 7, 'ASSET_NAME_REQUIRED'],
  ['null', null, 'ASSET_NAME_REQUIRED'],
  ['a list', ['a'], 'ASSET_NAME_REQUIRED'],
  ['zero-width spaces', '\u200b\u200d\ufeff', 'ASSET_NAME_REQUIRED'],
  ['fillers, a soft hyphen and an empty Braille cell', '\u3164\u115f\u00ad\u2800', 'ASSET_NAME_REQUIRED'],
  ['a bidirectional control alone', '\u202e', 'ASSET_NAME_REQUIRED'],
  ['a NUL', 'a\u0000b', 'VALIDATION_FAILED'],
  ['a control character', 'a\u0001', 'VALIDATION_FAILED'],
  ['a line break inside', 'a\nb', 'VALIDATION_FAILED'],
  ['one of the C1 controls', 'a\u0085b', 'VALIDATION_FAILED'],
  ['a right-to-left override', '\u202egnp.exe', 'VALIDATION_FAILED'],
  ['an isolate', 'a\u2066b\u2069', 'VALIDATION_FAILED'],
  ['half a surrogate pair', 'a\ud83c', 'ASSET_NAME_REQUIRED'],
  ['the other half', '\udff0a', 'ASSET_NAME_REQUIRED'],
]

describe.each(ways)('the name, %s', (_, nameIt) => {
  it.each(legal)('may be %s', async (_, sent, stored) => {
    const ada = await signUpCreator()
    const answer = await nameIt(ada, sent)
    expect(named(answer), answer.text).toBe(stored)
    expect(await ada.assetNames('/assets')).toContain(stored)
  })

  it.each(illegal)('may not be %s', async (_, sent, code) => {
    const ada = await signUpCreator()
    expect(await nameIt(ada, sent)).toBeProblem(400, code, '/name')
  })

  it('may not be the name of another asset of the owner’s, in any normal form, trimmed or not', async () => {
    const ada = await signUpCreator()
    await ada.emptyAsset('caf\u00e9 noir')
    for (const name of ['caf\u00e9 noir', 'cafe\u0301 noir', ' caf\u00e9 noir\n']) {
      expect(await nameIt(ada, name), name).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
      for (const asset of (await ada.assets('/assets')).assets)
        if (asset.name === 'before') await ada.deleteAsset(asset)
    }
  })

  it('is compared exactly, with the owner’s own only, and not with those of deleted assets', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    for (const name of ['castle', 'Castles', 'Cast le', 'C\u00e1stle']) await ada.emptyAsset(name)
    await bob.emptyAsset('Castle', { visibility: 'public' })
    await ada.deleteAsset(await ada.emptyAsset('Castle'))
    expect(named(await nameIt(ada, 'Castle'))).toBe('Castle')
  })
})

describe.each(['creating', 'branching', 'starting an upload'])('the name, %s', (what) => {
  it('has to be there', async () => {
    const ada = await signUpCreator()
    const [, nameIt] = ways.find(([name]) => name === what) ?? []
    expect(await nameIt?.(ada, undefined)).toBeProblem(400, 'ASSET_NAME_REQUIRED', '/name')
  })
})
