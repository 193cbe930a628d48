import { describe, expect, it } from 'vitest'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { seedHostileNames } from '../support/seed.ts'
import { operator } from '../support/user.ts'

const shown = { visibility: 'public' }

type Page = Awaited<ReturnType<Creator['assets']>>

/** Someone with public assets of those names. */
async function creatorOf(...names: string[]): Promise<Creator> {
  const ada = await signUpCreator()
  for (const name of names) await ada.emptyAsset(name, shown)
  return ada
}

/** The names of an owner's assets that a search finds, newest first, page by page. */
async function found(owner: Creator, q: string, more = ''): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const after = cursor ? `&cursor=${cursor}` : ''
    const page: Page = await owner.assets(`/public?q=${encodeURIComponent(q)}${more}${after}`)
    names.push(...page.assets.filter(({ owner_id }) => owner_id === owner.id).map(({ name }) => name))
    cursor = page.next_cursor
  } while (cursor)
  return names
}

describe('searching public assets by name', () => {
  const forgiven: [name: string, queries: string[]][] = [
    ['Éclair', ['Éclair', 'eclair', 'ECLAIR', 'e\u0301clair', 'ÈCLÂIR', 'é', 'E', 'ÉC', 'lai']],
    ['eclair', ['Éclair', 'É', 'e\u0301', 'Éc']],
    ['cafe\u0301 noir', ['CAFÉ', 'fe n', 'fé n', 'fe\u0301 n']],
    ['Straße', ['strasse', 'STRASSE', 'straße', 'STRAẞE', 'aße', 'asse', 'ASS']],
    ['STRASSE', ['straße', 'aße']],
    ['ß', ['ß', 'ss', 'SS', 'ẞ', 's']],
    ['ΟΔΥΣΣΕΥΣ', ['οδυσσευς', 'οδυσσευσ', 'Ὀδυσσεύς', 'σσε', 'ευς', 'ευσ', 'δυς']],
    ['οδός ΟΔΟΣ οδοσ', ['δος ο', 'δοσ ο', 'ΔΟΣ Ο', 'οδος οδος οδος']],
    ['ς', ['σ', 'Σ', 'ς']],
    ['İstanbul', ['istanbul', 'ISTANBUL', 'İSTANBUL', 'i\u0307stanbul', 'i', 'İ', 'is']],
    ['Việt Nam', ['viet nam', 'VIỆT', 'ệt n', 'vi']],
    ['Ёлка', ['елка', 'ЁЛК', 'е', 'Ёл']],
    ['Đà Nẵng', ['da nang', 'DA', 'đà', 'nẵng', 'a Nan']],
    ['Łódź', ['lodz', 'LODZ', 'łódź', 'l']],
    ['Lodz', ['Łódź', 'Ł']],
    ['Ærø', ['aero', 'ærø', 'ÆRØ', 'ae', 'Æ', 'ERO']],
    ['Œuvre', ['oeuvre', 'OEUV', 'œuvre', 'Œ', 'oe']],
    ['Þórsmörk ħŧ', ['thorsmork', 'þór', 'K HT']],
    ['Ｃａｓｔｌｅ１２', ['castle12', 'CAST', 'ｓｔｌ', 'ｃ', 'le1']],
    ['castle ™ Ⅳ', ['ｃａｓｔｌｅ', 'tm iv', '™ ⅳ']],
    ['パリのハート', ['ﾊﾟﾘの', 'ﾊﾟ', 'のﾊｰﾄ']],
    ['ﾊﾟﾘ ﾊｰﾄ', ['パリ', 'ハート', 'ハ\u309aリ']],
    ['Zau\u00ADber\u200Bwald', ['zauberwald', 'UBE', 'rwa', 'zauber\u00ADw', '\u200Bza', 'z']],
    ['می\u200Cخواهم', ['میخواهم', 'می\u200Cخ']],
    ['\uFDFA'.repeat(255), ['صلى', 'صلى الله', '\uFDFA'.repeat(9)]],
    ['❤\uFE0F love', ['❤', '❤ l', '❤\uFE0F lo']],
  ]
  it.each(forgiven)(
    'forgives case, accents, strokes, ligatures, widths and what has no width: %s',
    async (name, queries) => {
      const ada = await creatorOf(name, 'another')
      for (const q of queries) expect(await found(ada, q), q).toEqual([name.normalize('NFC')])
    },
  )

  it('finds what is typed at length anywhere, and one or two characters where a name begins', async () => {
    const ada = await creatorOf('Ice castle', 'Castle of Glass')
    const both = ['Castle of Glass', 'Ice castle']
    expect(await found(ada, 'cas')).toEqual(both)
    expect(await found(ada, 'stl')).toEqual(both)
    expect(await found(ada, 'castle')).toEqual(both)
    for (const q of ['e of', 'gla', 'ass', 'of Glass', 'Castle of Glass', 'c', 'C', 'ca'])
      expect(await found(ada, q), q).toEqual(['Castle of Glass'])
    for (const q of ['i', 'Ic', 'e ca', 'ice castle']) expect(await found(ada, q), q).toEqual(['Ice castle'])
    for (const q of [
      'g',
      'as',
      'le',
      'xyz',
      'castles',
      'castle  of',
      'castle glass',
      'e c ',
      'Castle of Glass!',
    ])
      expect(await found(ada, q), q).toEqual([])
  })

  const scripts: [name: string, finds: string[], findsNot: string[]][] = [
    [
      '東京タワー',
      ['東', '東京', '東京タ', '京タワ', 'タワー', '東京タワー'],
      ['京', 'タワ', 'ー', '京東', '東タワ'],
    ],
    ['地图', ['地', '地图'], ['图', '地图集']],
    [
      '한국지도',
      ['한', '한국', '국지도', '\u1112\u1161\u11ab국'],
      ['하', 'ㅎ', '\u1112', '하국', '국지', '학국지도'],
    ],
    ['がんばれ', ['が', 'がん', 'か\u3099', 'んばれ', 'がんば'], ['か', 'かん', 'かんば', 'んはれ', 'ガ']],
    ['パリのハート', ['パ', 'ハ\u309a', 'のハー'], ['ハ', 'バ', 'ハリの', 'のパー']],
    ['मिल', ['मि', 'मिल'], ['मील', 'मल', 'मु']],
    ['a ≠ b', ['a ≠', '≠ b', 'a =\u0338 b'], ['a = b', '= b']],
    ['🏰 Castle 👩‍🚀!', ['🏰', '🏰 ', '🏰 c', '👩‍🚀', 'e 👩'], ['🏯', '👩', '🚀', '👨‍🚀', '👩🚀']],
  ]
  it.each(scripts)('knows letters of other scripts apart: %s', async (name, finds, findsNot) => {
    const ada = await creatorOf(name, 'another')
    for (const q of finds) expect(await found(ada, q), q).toEqual([name])
    for (const q of findsNot) expect(await found(ada, q), q).toEqual([])
  })

  it.each([
    ['quotes', ["plain' OR 1=1 --", "pl'ain", "'plain name'", "'''", "''", "'"]],
    ['double quotes', ['"plain name"', 'plain"name', '"""', '""', '"', '"plain" "name"']],
    [
      'what means something to a full-text search',
      ['plain*', 'plain OR name', 'plain AND name', 'plain NOT x'],
    ],
    ['groups and neighbours', ['NEAR(plain name, 5)', '(plain)', 'plain + name', '{plain name}', '()', '(']],
    [
      'columns and starts',
      ['search_name : plain', 'type:world', '^plain', '-plain', 'plain - name', '-', '^', ':'],
    ],
    ['stars', ['*', '**', '***', 'pla*', '*name']],
    [
      'what means something to LIKE and GLOB',
      ['pl%n', 'pl_in', '%', '_', '__', '%%%', '[a-z]lain', 'pl?in', '?'],
    ],
    ['backslashes', ['\\', '\\\\', 'plain\\', 'pl\\ain', '\\u0041bc']],
    [
      'what means something to a URL or to HTML',
      ['plain&q=name', 'a+b c', '#plain', '%00%25', '<b>plain</b>'],
    ],
  ])('takes %s literally', async (_, hostile) => {
    const ada = await creatorOf('plain name', 'Plain Name 2')
    for (const q of hostile) expect(await found(ada, q), q).toEqual([])
    for (const q of hostile) {
      await ada.emptyAsset(`${q} literally`, shown)
      expect((await found(ada, q)).at(0), q).toBe(`${q} literally`)
      expect(await found(ada, q), q).not.toContain('plain name')
    }
  })

  it.each([
    ['a lone accent', ['%CC%81', '%CC%81%CC%88%CC%80']],
    ['what has no width', ['%C2%AD', '%E2%80%8B%E2%80%8B%E2%80%8B', '%EF%BB%BF']],
    ['white space', ['%20', '%20%20', '%20%20%20', '%09%0A%0D', '%E3%80%80', '+']],
    ['unassigned and private characters', ['%EF%BF%BF', '%F3%A0%80%81', '%EE%80%80%EE%80%80%EE%80%80']],
  ])('finds nothing for %s, and says so with 200', async (_, queries) => {
    const ada = await creatorOf('plain name')
    for (const q of queries) {
      const { status, body } = await ada.get(`/game/public?q=${q}&owner_id=${ada.id}`)
      expect([status, body], q).toEqual([200, { assets: [], next_cursor: null }])
    }
  })

  it.each(['%00', 'pla%00in', '%FF%FE%FD', '%ED%A0%80', '%C3'])('refuses what is no text: %s', async (q) => {
    const ada = await signUpCreator()
    expect(await ada.get(`/game/public?q=${q}`)).toBeProblem(400, 'VALIDATION_FAILED', '/q')
  })

  it('takes white space literally', async () => {
    const ada = await creatorOf('wide   open', 'wide open')
    expect(await found(ada, '   ')).toEqual(['wide   open'])
    expect(await found(ada, 'de  ')).toEqual(['wide   open'])
    expect(await found(ada, 'e o')).toEqual(['wide open'])
    expect(await found(ada, ' open')).toEqual(['wide open', 'wide   open'])
    expect(await found(ada, 'open ')).toEqual([])
  })

  it('takes 1 to 100 characters', async () => {
    const ada = await creatorOf(`${'x'.repeat(150)}y`, '\u{1F3F0}'.repeat(255), 'ß'.repeat(255))
    expect(await found(ada, `${'x'.repeat(99)}y`)).toHaveLength(1)
    expect(await found(ada, '\u{1F3F0}'.repeat(100))).toEqual(['\u{1F3F0}'.repeat(255)])
    expect(await found(ada, 'ß'.repeat(100))).toEqual(['ß'.repeat(255)])
    for (const q of ['', 'x'.repeat(101), '\u{1F3F0}'.repeat(101), ' '.repeat(101)])
      expect(await ada.get(`/game/public?q=${encodeURIComponent(q)}`)).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/q',
      )
  })

  it.each(['w', 'wi', 'windmill', 'ndm'])(
    'finds one type only when asked, newest first, by %s',
    async (q) => {
      const ada = await signUpCreator()
      for (const [i, type] of ['world', 'prop', 'avatar', 'prop', 'world'].entries())
        await ada.emptyAsset(`windmill ${i} ${type}`, { type, ...shown })
      await ada.emptyAsset('windmill private')
      const props = ['windmill 3 prop', 'windmill 1 prop']
      expect(await found(ada, q, '&type=prop')).toEqual(props)
      for (const limit of [1, 2, 100]) {
        const names = await found(ada, q, `&limit=${limit}`)
        expect(names.map((name) => name.slice(9, 10))).toEqual(['4', '3', '2', '1', '0'])
        expect(await found(ada, q, `&type=prop&limit=${limit}`)).toEqual(props)
      }
      expect(await ada.get(`/game/public?q=${q}&type=file`)).toBeProblem(400, 'INVALID_ASSET_TYPE')
      for (const limit of ['0', '101'])
        expect(await ada.get(`/game/public?q=${q}&limit=${limit}`)).toBeProblem(400, 'VALIDATION_FAILED')
    },
  )

  it.each(['t', 'to', 'tower', 'owe'])(
    'goes on from where a page ended, whatever comes and goes, by %s',
    async (q) => {
      const ada = await signUpCreator()
      const assets = []
      for (const i of [1, 2, 3, 4, 5]) assets.push(await ada.emptyAsset(`tower ${i}`, shown))
      const first = await ada.assets(`/public?q=${q}&limit=2`)
      expect(first.assets.map(({ name }) => name)).toEqual(['tower 5', 'tower 4'])
      await ada.emptyAsset('tower 6', shown)
      await ada.deleteAsset(assets[3] ?? '')
      await ada.editAsset(assets[1] ?? '', { name: 'bridge' })
      const second = await ada.assets(`/public?q=${q}&limit=2&cursor=${first.next_cursor}`)
      expect(second.assets.map(({ name }) => name)).toEqual(['tower 3', 'tower 1'])
    },
  )

  it.each(['z', 'ze', 'zeppelin', '\u0301'])(
    'refuses the cursor of another search, and one that is malformed, with %j',
    async (q) => {
      const ada = await creatorOf('yacht one', 'yacht two')
      const cursors = ['x', btoa('[]')]
      for (const other of ['y', 'ya', 'yacht'])
        cursors.push((await ada.assets(`/public?q=${other}&limit=1`)).next_cursor ?? '')
      for (const cursor of cursors)
        expect(await ada.get(`/game/public?q=${encodeURIComponent(q)}&cursor=${cursor}`)).toBeProblem(
          400,
          'INVALID_CURSOR',
        )
    },
  )

  it('follows a name and what is shown at once', async () => {
    const ada = await signUpCreator()
    const moderator = await operator('content:moderate')
    const asset = await ada.emptyAsset('Quixote')
    const block = (method: string) => moderator.request(method, `/game/assets/${asset.id}/block`)
    const steps: [step: () => Promise<unknown>, name: string | undefined][] = [
      [() => ada.get('/quota'), undefined],
      [() => ada.editAsset(asset, shown), 'Quixote'],
      [() => ada.editAsset(asset, { name: 'Renamed' }), 'Renamed'],
      [() => ada.editAsset(asset, { name: 'Quixote' }), 'Quixote'],
      [() => ada.editAsset(asset, { name: 'Renamed', visibility: 'private' }), undefined],
      [() => ada.editAsset(asset, shown), 'Renamed'],
      [() => block('PUT'), undefined],
      [() => ada.editAsset(asset, { name: 'Quixote' }), undefined],
      [() => block('DELETE'), 'Quixote'],
      [() => ada.deleteAsset(asset), undefined],
      [() => ada.restoreAsset(asset, { name: 'Renamed' }), 'Renamed'],
      [() => ada.version(asset), 'Renamed'],
      [() => ada.deleteAsset(asset, '?permanent=true'), undefined],
    ]
    for (const [step, name] of steps) {
      await step()
      for (const one of ['Quixote', 'Renamed'])
        for (const q of [one.slice(0, 1), one.slice(0, 2), one.slice(2, 5), one])
          expect(await found(ada, q), `${step}: ${q}`).toEqual(one === name ? [name] : [])
    }
  })
})

describe('the pages of a search among hostile names', () => {
  it('hold together each name that contains the text once, newest first, whatever their limits', async () => {
    const owners = [await signUpCreator('a'), await signUpCreator('b'), await signUpCreator('ab')] as const
    await seedHostileNames([owners[0].id, owners[1].id, owners[2].id], 1, 1_000)
    for (const limits of [[100], [1, 100, 7, 50]]) {
      const names: string[] = []
      let [page, cursor]: [number, string | null] = [0, null]
      do {
        const after: string = cursor === null ? '' : `&cursor=${cursor}`
        const limit = limits[page % limits.length]
        const found: Page = await owners[0].assets(`/public?q=b0000&type=prop&limit=${limit}${after}`)
        names.push(...found.assets.map(({ name }) => name))
        ;[page, cursor] = [page + 1, found.next_cursor]
      } while (cursor !== null)
      const numbers = names.map((name) => Number(name.slice(-7)))
      // Every seventh is a prop; the names of those that don't leave 0 when divided by 3 end in b before their number.
      const expected = Array.from({ length: 999 }, (_, i) => 999 - i).filter(
        (n) => n % 7 === 0 && n % 3 === 1,
      )
      expect(numbers).toEqual(expected)
    }
  })
})
