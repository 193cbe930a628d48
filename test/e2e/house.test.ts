import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { project } from './citations.ts'

const src = join(project, 'src')

/** An import of one file of src by another, as paths below src. */
interface Arrow {
  from: string
  to: string
}

/** The code of each file of src. */
const codes = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, code: readFileSync(join(src, name), 'utf8') }))

const arrows: Arrow[] = codes.flatMap(({ name: from, code }) =>
  [...code.matchAll(/(?:\bfrom |\bimport\(?\s*)'(\.[^']+)'/g)].map(([, path = '']) => ({
    from,
    to: relative(src, join(src, dirname(from), path)),
  })),
)

/** The entry of a shelf that a file belongs to, with its subfolders; undefined of a file elsewhere. '' is src itself. */
function entryOf(shelf: string, file: string): string | undefined {
  const [entry] = relative(shelf, file).split('/')
  return entry === '..' ? undefined : entry
}

/** Files that every folder of src/platform imports. The first itself names types of several folders. */
const isKnownToAll = (entry: string) => entry === 'context.ts' || entry === 'errors.ts'

/** The imports that close a circle between entries of a shelf. */
function circlesIn(shelf: string): string[] {
  const next = new Map<string, Set<string>>()
  const between = arrows.flatMap((arrow) => {
    const [from, to] = [entryOf(shelf, arrow.from), entryOf(shelf, arrow.to)]
    if (from === undefined || to === undefined || from === to || isKnownToAll(from) || isKnownToAll(to))
      return []
    next.set(from, (next.get(from) ?? new Set()).add(to))
    return [{ ...arrow, entry: from, target: to }]
  })
  const reaches = (start: string, end: string, seen = new Set<string>()): boolean =>
    start === end ||
    [...(next.get(start) ?? [])].some((entry) => !seen.has(entry) && reaches(entry, end, seen.add(entry)))
  return between
    .filter(({ entry, target }) => reaches(target, entry))
    .map(({ from, to }) => `${from} imports ${to}`)
}

it('src has nine entries', () => {
  expect(readdirSync(src).sort()).toEqual([
    'app.ts',
    'describe.ts',
    'features',
    'index.ts',
    'janitor',
    'local',
    'operators',
    'platform',
    'routers.ts',
  ])
})

it('reads the imports of src', () => {
  expect(arrows).toContainEqual({ from: 'index.ts', to: 'app.ts' })
  expect(arrows).toContainEqual({ from: 'index.ts', to: 'janitor/consume.ts' })
  expect(arrows.length).toBeGreaterThan(1_000)
})

it.each(['', 'platform', 'features', 'operators'])(
  'no imports close a circle of folders in src/%s',
  (shelf) => {
    expect(circlesIn(shelf)).toEqual([])
  },
)

/** The members of zod's `z` that are used as types only. */
const zodTypes = new Set(['core', 'input', 'output', 'RefinementCtx', 'ZodObject'])

it('the bundle has the part of zod that src uses', () => {
  const used = codes.flatMap(({ code }) =>
    [...code.matchAll(/\bz\s*\.\s*(\w+)/g)].map(([, member = '']) => member),
  )
  const own = codes.find(({ name }) => name === 'platform/lib/bundled-zod.ts')?.code ?? ''
  const [, members = ''] = own.split('export const z = {')
  const bundled = [...members.matchAll(/^ {2}(\w+)/gm)].map(([, member = '']) => member)
  expect(new Set(bundled)).toEqual(new Set(used.filter((member) => !zodTypes.has(member))))
})
