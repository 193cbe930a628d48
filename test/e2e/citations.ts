import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const project = fileURLToPath(new URL('../..', import.meta.url))

/** A table's row of a Markdown page that names source files and tests, in its last two columns. */
export interface Cited {
  /** The columns before. */
  cells: string[]
  /** Paths below src/. */
  sources: string[]
  tests: { file: string; title: string }[]
}

/** The rows of the tables in a page whose last column is headed "test", or in the part of it under a heading. */
export function citedRows(page: string, heading = ''): Cited[] {
  const text = readFileSync(project + page, 'utf8')
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

/** What a row names that isn't there: a source file, a test file, or a test whose title begins like that. */
export function missingFrom({ sources, tests }: Cited): string[] {
  const files = sources.map((source) => (source.startsWith('migrations/') ? source : `src/${source}`))
  const lost = tests.filter(
    ({ file, title }) => !title || !titlesOf(file).some((known) => known.startsWith(title)),
  )
  return [
    ...files.filter((file) => !existsSync(project + file)),
    ...lost.map(({ file, title }) => `${file}: ${title}`),
  ]
}

const known = new Map<string, string[]>()

/** The titles in a test file: strings that are followed by what is to be run. */
function titlesOf(file: string): string[] {
  const text = existsSync(project + file) ? readFileSync(project + file, 'utf8') : ''
  const titles = known.get(file) ?? [...text.matchAll(TITLE)].map(([, , title = '']) => unescaped(title))
  known.set(file, titles)
  return titles
}

const TITLE = /(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:\{[^}]*\},\s*)?(?:async\s*)?(?:\(|\w+\s*=>)/g

function unescaped(title: string): string {
  return title.replaceAll(/\\(.)/g, '$1')
}
