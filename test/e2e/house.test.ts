import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { NAMES_OF_SECRETS } from '../../scripts/deploy/settings.ts'
import { inboxNotes, moverNotes, notes, notesOfSeveral } from '../support/noted-plans.ts'
import { keyOf } from '../support/plans.ts'
import { unusedOf } from '../support/unused-notes.ts'
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

/** What a part of src does not import: paths below src. Files at the top of src compose what lies below. */
const forbidden = [
  ['platform/ knows no feature', /^platform\//, /^(?:features|operators|janitor|local)\/|^\w+\.ts$/],
  ['a feature knows no operator', /^features\//, /^(?:operators|janitor|local)\/|^\w+\.ts$/],
  ['operators/ knows nothing of what runs it', /^operators\//, /^(?:janitor|local)\/|^\w+\.ts$/],
  [
    'only routes and schemas import http/',
    /^(?:platform\/(?!http\/)|janitor\/|(?:features|operators)\/(?!.*[/-](?:routes|schema)\.ts$))/,
    /^platform\/http\//,
  ],
  ['only routers.ts imports routes', /^(?!routers\.ts$|local\/)/, /[/-]routes\.ts$/],
  ['lib/ and errors.ts import nothing of src', /^platform\/(?:lib\/|errors\.ts$)/, /^(?!platform\/lib\/)/],
  ['db/ imports lib/ and errors only', /^platform\/db\//, /^(?!platform\/(?:(?:db|lib)\/|errors\.ts$))/],
  [
    'the tree knows nothing of other features',
    /^features\/files\/(?:path|placement)\.ts$/,
    /^(?!features\/files\/|platform\/(?!http\/))/,
  ],
] as const

it.each(forbidden)('%s', (_, of, imported) => {
  expect(arrows.filter(({ from }) => of.test(from)).length).toBeGreaterThan(0)
  expect(arrows.filter(({ to }) => imported.test(to)).length).toBeGreaterThan(0)
  expect(arrows.filter(({ from, to }) => of.test(from) && imported.test(to))).toEqual([])
})

/** What features import of `shards/`. Otherwise they ask `ctx.db` and `ctx.databases`, and never how many databases there are. */
const verbs = ['check-hints.ts', 'homes.ts', 'near.ts', 'pages.ts', 'partitions.ts', 'windows.ts']

it('a feature imports the verbs of shards/ alone', () => {
  const shards = join('platform', 'shards')
  const imported = arrows.filter(({ from, to }) => entryOf('features', from) && entryOf(shards, to))
  expect(new Set(imported.map(({ to }) => relative(shards, to)))).toEqual(new Set(verbs))
})

/** The tables and views of the database that the platform itself reads and writes. All others are of features and operators. */
const ofPlatform = new Set([
  'audit',
  'bucket_pairing',
  'erasures',
  'fence',
  'garbage',
  'idempotency',
  'linked_partition_fence',
  'move_fence',
  'moves',
  'moving_users',
  'outbox',
  'outbox_counts',
  'outbox_entry',
  'partition_fence',
  'partitions',
  'paused_owners',
  'progress',
  'usage',
])

/** Each table, view and index of the database, with the table of an index. */
const stored = [
  ...readFileSync(join(project, 'migrations/schema.sql'), 'utf8').matchAll(
    /^CREATE (?:UNIQUE |VIRTUAL )?(?:TABLE|VIEW|INDEX) (\w+)(?: ON (\w+))?/gm,
  ),
].map(([, name = '', table = name]) => ({ name, table }))

/** The strings and templates in code, without comments. `…` stands for what a template inserts. */
function literalsIn(code: string): string[] {
  const literals: string[] = []
  /** The templates that have not ended, and of each how many braces are open in what it inserts; the innermost is the last. */
  const open: { text: string; braces: number }[] = []
  for (let at = 0; at < code.length; ) {
    const template = open.at(-1)
    const isText = template?.braces === 0
    const token = isText ? /\\.|\$\{|./sy : /\/\*.*?\*\/|\/\/[^\n]*|(['"])(?:\\.|(?!\1)[^\n])*\1|./sy
    token.lastIndex = at
    const [found = ''] = token.exec(code) ?? []
    at += found.length
    if (isText && found === '`') literals.push(open.pop()?.text ?? '')
    else if (isText && found === '${') template.braces = 1
    else if (isText) template.text += found
    else if (found === '`') open.push({ text: '', braces: 0 })
    else if (template && found === '{') template.braces++
    else if (template && found === '}' && --template.braces === 0) template.text += '…'
    else if (/^['"]./.test(found)) literals.push(found.slice(1, -1))
  }
  expect(open).toEqual([])
  return literals
}

const isSql = /\b(?:SELECT|FROM|JOIN|INTO|UPDATE|SET|INDEXED|EXISTS|WHERE|ON|AS)\b/

/** The tables and indexes that code names: in SQL, alone (for `sql.raw`), before a column, or as a table of drizzle. */
function namedIn(code: string): string[] {
  const [, imported = ''] = /import (?:type )?([^']*) from '[^']*\/schema\.ts'/.exec(code) ?? []
  const tables = imported.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).match(/\w+|\*/g) ?? []
  const literals = literalsIn(code).flatMap((literal) => [
    ...(/^\w+$/.test(literal) || isSql.test(literal) ? (literal.match(/\w+/g) ?? []) : []),
    ...[...literal.matchAll(/\b(\w+)\.\w/g)].map(([, name = '']) => name),
  ])
  return [...new Set([...tables, ...literals])].filter(
    (name) => name === '*' || stored.some((known) => known.name === name && !ofPlatform.has(known.table)),
  )
}

it('platform/ names no table and no index of a feature', () => {
  expect(stored.map(({ name }) => name)).toEqual(expect.arrayContaining([...ofPlatform]))
  const planted = `import { files } from '../db/schema.ts'
    const found = sql\`\${sql.raw('shares')} \${sql\`WHERE uploads.id = 1\`}\` // FROM favorites`
  expect(namedIn(planted)).toEqual(['files', 'shares', 'uploads'])
  // These two have every table, and the values of every column.
  const whole = ['platform/db/schema.ts', 'platform/db/enumerations.ts']
  const found = codes
    .filter(({ name }) => name.startsWith('platform/') && !whole.includes(name))
    .flatMap(({ name, code }) => namedIn(code).map((named) => `${name} names ${named}`))
  expect(found).toEqual([])
})

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

it('test/support/README.md has each file of the folder, and names what these export', () => {
  const support = join(project, 'test/support')
  const rows = readFileSync(join(support, 'README.md'), 'utf8').matchAll(/^\| (`.*?`) \| (.*) \|$/gm)
  const named = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  const table = [...rows].map(([, files, offers]) => ({ files: named(files), offers: named(offers) }))
  const listed = ['README.md', ...table.flatMap(({ files }) => files)]
  expect(listed.toSorted()).toEqual(readdirSync(support).toSorted())
  const missing = table.flatMap(({ files, offers }) => {
    const code = files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(support, file), 'utf8'))
      .join('\n')
    const declared = [
      ...code.matchAll(/^export (?:default |async |const |function |class |interface |type )+(\w+)/gm),
    ]
    const passedOn = [...code.matchAll(/^export (?:type )?\{(.*)\}/gm)].flatMap(([, names = '']) =>
      names.match(/\w+/g),
    )
    const exported = new Set([...declared.map(([, name]) => name), ...passedOn])
    return offers.filter((name) => !exported.has(name)).map((name) => `${files}: ${name}`)
  })
  expect(missing).toEqual([])
})

const workflows = join(project, '.github/workflows')

it.each(readdirSync(workflows))(
  '.github/workflows/%s names each action by its commit, and says of which version that is',
  (name) => {
    const text = readFileSync(join(workflows, name), 'utf8')
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action)
    expect(used.length).toBeGreaterThan(0)
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  },
)

it('the workflow of deployments hands on every secret that a Worker may lack', () => {
  const text = readFileSync(join(workflows, 'deploy.yml'), 'utf8')
  const handedOn = [...text.matchAll(/^ +(\w+): \$\{\{ secrets\.(\w+) \}\}$/gm)]
  for (const [, variable, secret] of handedOn) expect(variable).toBe(secret)
  const names = handedOn.map(([, variable]) => variable)
  for (const name of NAMES_OF_SECRETS) expect(names).toContain(name)
})

const note = (statement: string, plan = 'SCAN a') => ({ statement, plan, reason: 'a test' })

it('a note that no plan needs is unused, and so is one that is there twice', () => {
  const used = new Set([note('FROM a'), note('FROM b')].map(keyOf))
  expect(unusedOf([note('FROM  a'), note('FROM b')], used)).toEqual([])
  expect(unusedOf([note('FROM a'), note('FROM c')], used)).toEqual(['SCAN a, in: FROM c'])
  expect(unusedOf([note('FROM a', 'SCAN c')], used)).toEqual(['SCAN c, in: FROM a'])
  expect(unusedOf([note('FROM a'), note('FROM b'), note('FROM a')], used)).toEqual(['SCAN a, in: FROM a'])
})

it('no note of the service is there twice', () => {
  const all = [...notes, ...notesOfSeveral, ...moverNotes, ...inboxNotes]
  expect(unusedOf(all, new Set(all.map(keyOf)))).toEqual([])
})
