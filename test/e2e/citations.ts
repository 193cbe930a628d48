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

/** A table's row of a Markdown page that names tests in its last column. */
export interface Cited {
  /** The heading above the table. */
  heading: string
  /** The columns before. */
  cells: string[]
  tests: { file: string; title: string }[]
}

/** The rows of the tables in a page whose last column is headed "test". */
export function citedRows(page: string): Cited[] {
  const rows: Cited[] = []
  let heading = ''
  let isTable = false
  for (const line of textOf(page).split('\n')) {
    heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading
    const cells = line.split('|').slice(1, -1)
    const tests = cells.pop()?.trim() ?? ''
    if (tests === 'test') isTable = true
    else if (tests === '') isTable = false
    else if (isTable && !/^:?-+:?$/.test(tests))
      rows.push({ heading, cells: cells.map((cell) => cell.trim()), tests: testsOf(tests) })
  }
  return rows
}

/** The tests of a cell: `file` title · title of the same file · `file` title. */
function testsOf(cell: string): Cited['tests'] {
  let file = ''
  return cell.split(' · ').map((citation) => {
    const [, name, title = ''] = /^(?:`([^`]*)` )?(.*)$/.exec(citation) ?? []
    file = name ?? file
    return { file: `test/${file}.test.ts`, title }
  })
}

/** The tests that a row names and that are not there: no file, or none in it whose title begins like that. */
export function missingFrom({ tests }: Cited): string[] {
  return tests
    .filter(({ file, title }) => !title || !titlesOf(file).some((known) => known.startsWith(title)))
    .map(({ file, title }) => `${file}: ${title}`)
}

const known = new Map<string, string[]>()

/** The titles in a test file: strings that are followed by what is to be run. */
function titlesOf(file: string): string[] {
  const text = existsSync(project + file) ? textOf(file) : ''
  const titles = known.get(file) ?? [...text.matchAll(TITLE)].map(([, , title = '']) => unescaped(title))
  known.set(file, titles)
  return titles
}

const TITLE = /(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:\{[^}]*\},\s*)?(?:async\s*)?(?:\(|\w+\s*=>|\w+,?\s*\)$)/gm

function unescaped(title: string): string {
  return title.replaceAll(/\\(.)/g, '$1')
}
