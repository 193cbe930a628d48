import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { anchorsOf, project, textOf } from './citations.ts'

/** Where code is, as paths below the project's folder. */
const folders = [
  'src',
  'client/src',
  'console/src',
  'scripts',
  'test',
  'bench',
  'migrations',
  'pages',
  '.github',
]
const files = [
  ...folders.flatMap((folder) =>
    readdirSync(project + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ),
  'wrangler.toml',
  'vitest.config.ts',
].filter((file) => /\.(?:tsx?|js|css|html|sql|toml|yml)$/.test(file))

/** A text in a file, and where it is. */
interface Found {
  file: string
  line: number
  text: string
}

const lineAt = (text: string, index = 0) => text.slice(0, index).split('\n').length

/** The comments of a file. Those of each language begin a line or follow white space. */
function commentsOf(file: string): Found[] {
  const comment = /\.sql$/.test(file)
    ? /(?<=^|\s)--.*/gm
    : /\.(?:toml|yml)$/.test(file)
      ? /(?<=^|\s)#.*/gm
      : /(?<=^|[\s{(])\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|<!--[\s\S]*?-->/gm
  return matchesIn({ file, line: 1, text: textOf(file) }, comment)
}

function matchesIn({ file, line, text }: Found, pattern: RegExp): Found[] {
  return [...text.matchAll(pattern)].map((match) => ({
    file,
    line: line + lineAt(text, match.index) - 1,
    text: match[0],
  }))
}

const comments = files.flatMap(commentsOf)

const told = ({ file, line, text }: Found, why: string) => `${file}:${line}: ${text} ${why}`

/** Why a page that is named with or without a heading can't be read there. */
function lostPage({ text }: Found): string | undefined {
  const [page = '', anchor] = text.split('#')
  if (!existsSync(project + page)) return 'is no page'
  return anchor === undefined || anchorsOf(page).includes(anchor) ? undefined : 'is no heading of it'
}

it('code names pages, in comments and messages, that exist, with headings that they have', () => {
  const named = /(?<![\w./-])(?:docs\/[\w./-]+|README|SECURITY|CONTRIBUTING|CHANGELOG)\.md(?:#[\w-]+)?/g
  const references = files.flatMap((file) => matchesIn({ file, line: 1, text: textOf(file) }, named))
  expect(references.length).toBeGreaterThan(100)
  const lost = references.map((found) => ({ found, why: lostPage(found) }))
  expect(lost.flatMap(({ found, why }) => (why === undefined ? [] : [told(found, why)]))).toEqual([])
})

it('comments name files by their path from the project’s folder, or by their name alone in the same folder', () => {
  const named = /(?<![\w./*-])[\w.][\w./-]*\.(?:tsx?|mjs|js|css|html|sql|toml|json)\b(?!\.\w)/g
  const folder = /(?<![\w./*-])(?:src|test|bench|scripts|migrations|pages|client|console|docs)\/[\w./-]*\w/g
  const references = comments.flatMap((comment) => [
    ...matchesIn(comment, named),
    ...matchesIn(comment, folder),
  ])
  expect(references.length).toBeGreaterThan(100)
  const lost = references.filter(
    ({ file, text }) =>
      !existsSync(project + text) && (text.includes('/') || !existsSync(join(project, dirname(file), text))),
  )
  expect(lost.map((found) => told(found, 'is no file'))).toEqual([])
})

it('comments name a page by its path, and a section of an RFC alone by its number', () => {
  const vague =
    /\b(?:the |in )?(?:specification|architecture)\b(?!\.md)|\.md, ?"|" in docs\/|(?<!RFC \d{4} |§[\d.]+ and )§/gi
  const found = comments.flatMap((comment) => matchesIn(comment, vague))
  expect(found.map((each) => told(each, 'leads nowhere'))).toEqual([])
})

it('comments name in backticks only names that are in the code', () => {
  const code = [...files, ...['package.json', 'docs/openapi.json', 'docs/openapi.operators.json']].map(
    (file) => commentsOf(file).reduce((text, comment) => text.replace(comment.text, ' '), textOf(file)),
  )
  const names = new Set(code.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []))
  const references = comments.flatMap((comment) =>
    matchesIn(comment, /(?<=`)[A-Za-z_$][\w$.]*(?=(?:\(\))?`)/g),
  )
  expect(references.length).toBeGreaterThan(500)
  const lost = references.filter(
    ({ text }) => !text.split('.').every((name) => name === '' || names.has(name)),
  )
  expect(lost.map((found) => told(found, 'is no name'))).toEqual([])
})
