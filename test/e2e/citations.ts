import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const project = fileURLToPath(new URL('../..', import.meta.url))

/** The text of a file of the project. */
export const textOf = (path: string) => readFileSync(project + path, 'utf8')

/** A page without its blocks of code. */
export const proseOf = (page: string) => textOf(page).replaceAll(/^ *```.*?^ *```$/gms, '')

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** A table's row of a Markdown page that names source files and tests, in its last two columns. */
export interface Cited {
  /** The columns before. */
  cells: string[]
  /** Paths below src/, each with the symbol behind `#` that it declares, where the page names one. */
  sources: string[]
  tests: { file: string; title: string }[]
}

/** The rows of the tables in a page whose last column is headed "test", or in the part of it under a heading. */
export function citedRows(page: string, heading = ''): Cited[] {
  const text = textOf(page)
  const from = heading === '' ? 0 : text.indexOf(`\n${heading}\n`)
  const end = from < 0 ? -1 : text.indexOf('\n## ', from + heading.length + 2)
  const lines = text.slice(from, end < 0 || heading === '' ? undefined : end).split('\n')
  const rows: Cited[] = []
  let isTable = false
  for (const line of lines) {
    const cells = line.startsWith('|') ? line.split('|').slice(1, -1) : []
    const [sources = '', tests = ''] = cells.splice(-2).map((cell) => cell.trim())
    if (tests === 'test') isTable = true
    else if (tests === '') isTable = false
    else if (isTable && !/^:?-+:?$/.test(tests))
      rows.push({
        cells: cells.map((cell) => cell.trim()),
        sources: sources.replaceAll('`', '').split(', '),
        tests: tests.split(' · ').map(testOf),
      })
  }
  return rows
}

function testOf(citation: string): { file: string; title: string } {
  const [file = '', title = ''] = citation.replace('` ', ' › ').replace('`', '').split(' › ')
  return { file: `test/${file}.test.ts`, title }
}

/** What a row names that isn't there: a source file, a symbol in it, a test file, or a test whose title begins like that. */
export function missingFrom({ sources, tests }: Cited): string[] {
  const lost = tests.filter(
    ({ file, title }) => !title || !titlesOf(file).some((known) => known.startsWith(title)),
  )
  return [
    ...sources.filter((source) => !isThere(source)),
    ...lost.map(({ file, title }) => `${file}: ${title}`),
  ]
}

function isThere(source: string): boolean {
  const [path = '', symbol] = source.split('#')
  const file = project + (path.startsWith('migrations/') ? path : `src/${path}`)
  if (!existsSync(file)) return false
  return symbol === undefined || declares(file, symbol)
}

/** Whether a file declares a name: in code and SQL as a declaration or a method, in other files at all. */
function declares(file: string, symbol: string): boolean {
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.sql')) return new RegExp(`^CREATE [A-Z ]+ ${symbol}\\b`, 'm').test(text)
  if (!file.endsWith('.ts')) return text.includes(symbol)
  const declared = `\\b(?:function\\*?|const|class|interface|type) ${symbol}\\b`
  const method = `^ +(?:override |async |static |get )*${symbol}(?:<[^>]*>)?\\(.*\\{$`
  return new RegExp(`${declared}|${method}`, 'm').test(text)
}

const known = new Map<string, string[]>()

/** The titles in a test file: strings that are followed by what is to be run. */
function titlesOf(file: string): string[] {
  const text = existsSync(project + file) ? textOf(file) : ''
  const titles = known.get(file) ?? [...text.matchAll(TITLE)].map(([, , title = '']) => unescaped(title))
  known.set(file, titles)
  return titles
}

const TITLE = /(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:\{[^}]*\},\s*)?(?:async\s*)?(?:\(|\w+\s*=>)/g

function unescaped(title: string): string {
  return title.replaceAll(/\\(.)/g, '$1')
}
