import { parse } from 'content-disposition'
import { describe, expect, it } from 'vitest'
import { signUp } from '../support/user.ts'

/** Names that are refused, and the reason that the answer gives. */
const bad: [what: string, name: unknown, reason: string][] = [
  ['nothing', undefined, 'required'],
  ['null', null, 'required'],
  ['a number', 7, 'required'],
  ['an array', ['a'], 'required'],
  ['the empty name', '', 'empty'],
  ['a dot', '.', '"." or ".."'],
  ['two dots', '..', '"." or ".."'],
  ['a slash', 'a/b', 'may not contain "/"'],
  ['only a slash', '/', 'may not contain "/"'],
  ['a backslash', 'a\\b', 'may not contain "/"'],
  ['NUL', 'a\0b', 'control'],
  ['a line feed', 'a\nb', 'control'],
  ['a tab', 'a\tb', 'control'],
  ['a carriage return at the end', 'a\r', 'control'],
  ['DEL', 'a\u007fb', 'control'],
  ['a C1 control (NEL)', 'a\u0085b', 'control'],
  ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'].map(
    (mark): [string, string, string] => [
      `a bidirectional control (U+${mark.charCodeAt(0).toString(16)})`,
      `exe${mark}txt.a`,
      'direction',
    ],
  ),
  ['a high surrogate alone', 'a\ud83d', 'surrogate'],
  ['a low surrogate alone', '\ude00a', 'surrogate'],
  ['surrogates the wrong way round', '\ude00\ud83d', 'surrogate'],
  ['a space in front', ' a', 'white space'],
  ['a space behind', 'a ', 'white space'],
  ['only a space', ' ', 'white space'],
  ['a no-break space behind', 'a\u00a0', 'white space'],
  ['an ideographic space in front', '\u3000a', 'white space'],
  ['a byte order mark in front', '\ufeffa', 'white space'],
  ['a line separator behind', 'a\u2028', 'white space'],
  ['256 letters', 'a'.repeat(256), 'at most 255'],
  ['256 characters of four bytes', '\u{1F600}'.repeat(256), 'at most 255'],
]

/** Names that are legal, however odd; what is stored is their NFC form. */
const odd: [what: string, name: string, stored?: string][] = [
  ['one letter', 'a'],
  ['three dots', '...'],
  ['a dot in front', '.gitignore'],
  ['a dot behind', 'name.'],
  ['255 letters', 'a'.repeat(255)],
  ['255 characters of four bytes', '\u{1F600}'.repeat(255)],
  ['256 code points that are 255 in NFC', `${'a'.repeat(254)}e\u0301`, `${'a'.repeat(254)}\u00e9`],
  ['e and an accent', 'cafe\u0301.txt', 'caf\u00e9.txt'],
  ['é in one', 'caf\u00e9.txt'],
  ['German', 'Größe Übersicht.txt'],
  ['Chinese', '地图.txt'],
  ['Japanese with a half-width kana', 'ﾃﾞｰﾀ.txt'],
  ['Hangul in parts', '\u1112\u1161\u11ab', '\ud55c'],
  ['Arabic', 'خريطة.txt'],
  ['a family of emoji', '👨‍👩‍👧‍👦.png'],
  ['a flag', '🇨🇭'],
  ['a right-to-left mark', 'a\u200fb'],
  ['a zero-width space inside', 'a\u200bb'],
  ['a quotation mark', 'say "hi".txt'],
  ['an apostrophe', "it's.txt"],
  ['per cent', '100%41 %zz.txt'],
  ['plus, ampersand, equals, question mark, hash', 'a+b&c=d?e#f.txt'],
  ['semicolon and comma', 'a;b, c.txt'],
  ['colon, star, angles and a pipe', 'a:b*c<d>e|f.txt'],
  ['brackets and parentheses', '[a](b){c}.txt'],
  ['two spaces inside', 'a  b.txt'],
  ['a tilde and a backtick', '~`a`.txt'],
  ['a device of old', 'CON'],
  ['SQL', "Robert'); DROP TABLE files;--"],
  ['HTML', '<img src=x onerror=alert(1)>.html'.replace('/', '')],
  ['the replacement character', 'a\ufffdb'],
  ['a noncharacter', 'a\uffffb'],
  ['a name that JavaScript has uses for', '__proto__'],
]

describe('a bad name', () => {
  it.each(bad)('is refused for a folder, an upload and a rename: %s', async (_, name, reason) => {
    const ada = await signUp()
    const item = await ada.folder('kept')
    const refused = [
      await ada.createFolder({ name, asset_type: 'folder' }),
      await ada.startUpload({ upload_type: 'file', name, size_bytes: 1, mime_type: 'text/plain' }),
      ...(name === undefined ? [] : [await ada.change(item, { name })]),
    ]
    for (const answer of refused) {
      expect(answer).toBeProblem(400, 'FILE_INVALID_NAME', JSON.stringify(reason).slice(1, -1))
      expect(answer.body).toMatchObject({
        errors: [{ in: 'body', path: '/name', message: expect.any(String) }],
      })
    }
    expect(await ada.names()).toEqual(['kept'])
  })
})

describe('an odd but legal name', () => {
  it.each(odd)('is stored, listed, and given to who downloads it: %s', async (_, name, stored = name) => {
    const ada = await signUp()
    const file = await ada.file(name, 'content', { mime_type: 'text/plain' })
    expect(file.name).toBe(stored)
    const folder = await ada.folder('x')
    await ada.change(folder, { name })
    expect(await ada.names()).toEqual([stored, stored])
    expect((await ada.read(folder)).file.name).toBe(stored)

    const response = await ada.download(file)
    const header = response.headers.get('Content-Disposition') ?? ''
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    expect(parse(header)).toMatchObject({ type: 'inline', parameters: { filename: stored } })
    expect(await response.text()).toBe('content')
    const { body } = await ada.get(`/files/${file.id}/url`)
    const onR2 = new URL((body as { url: string }).url).searchParams.get('response-content-disposition')
    expect(onR2).toBe(header)
  })

  it('sorts without regard to ASCII case, and by code point otherwise', async () => {
    const ada = await signUp()
    const names = ['b', 'A', 'a', 'B', 'É', 'é', 'Z', 'z', '地', '😀', '1', '_']
    for (const name of names) await ada.folder(name)
    const sorted = await ada.names()
    const folded = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    const expected = [...names].sort((one, two) => {
      const [a, b] = [[...folded(one)], [...folded(two)]]
      return (a[0]?.codePointAt(0) ?? 0) - (b[0]?.codePointAt(0) ?? 0)
    })
    expect(sorted.map(folded)).toEqual(expected.map(folded))
    expect(await ada.names({ order: 'desc' })).toEqual([...sorted].reverse())
  })
})
