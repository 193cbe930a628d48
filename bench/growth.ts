/**
 * npm run bench -- growth: measures the cost of requests with 10³ to 10⁶ rows, over one database and over three: round trips,
 * rows read and written, and milliseconds.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../scripts/development.ts'
import { readArguments, refuse } from '../scripts/usage.ts'
import { bundle } from './bundle.ts'
import { growthChart } from './growth-chart.ts'
import { datasets } from './growth-data.ts'
import {
  type Answered,
  type Asked,
  type Dataset,
  groups,
  type Measurement,
  type Operation,
  type Place,
} from './growth-operation.ts'
import type { Counted } from './growth-worker.ts'
import { layOut, migrate, userIn } from './planting.ts'
import { scratchFolder } from './scratch.ts'
import { idle, type Runtime, serve } from './serve.ts'
import { tokenOf } from './token.ts'

const usage = `npm run bench -- growth [OPTIONS]: what requests cost by how many rows there are
  --sizes 1000,10000,100000,1000000  how many rows, from few to many
  --databases 1,3                    over how many databases
  --only PART                        a part of the name of a group or a dataset
  --json                             prints the figures as JSON in place of the table
  --svg FOLDER                       draws a picture of each group into a folder`
const { values } = readArguments(usage, {
  sizes: { type: 'string', default: '1000,10000,100000,1000000' },
  databases: { type: 'string', default: '1,3' },
  only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
  svg: { type: 'string', default: '' },
})
const { only, json, svg } = values
const [sizes, counts] = [values.sizes.split(',').map(Number), values.databases.split(',').map(Number)]
if (!sizes.every((size, i) => Number.isInteger(size / 1_000) && size > (sizes[i - 1] ?? 0)))
  refuse('--sizes takes multiples of 1,000, each greater than the one before.', usage)
if (!counts.every((count) => Number.isInteger(count) && count >= 1))
  refuse('--databases takes whole numbers.', usage)
/** How often each operation is timed. The median counts. */
const TIMES = 15

const tokens = new Map<string, string>()

const scratch = scratchFolder('growth')
try {
  await measureAll()
} catch (error) {
  if (process.exitCode !== 130) throw error
}

async function measureAll(): Promise<void> {
  console.error('Bundling the service …')
  const alias = [`./service.js:${project}src/index.ts`]
  const service = await bundle('bench/growth-worker.ts', join(scratch, 'service'), alias)
  const found: Measurement[] = []
  for (const dataset of datasets)
    for (const [index, count] of counts.entries())
      if (index === 0 || dataset.isOfDatabases !== false)
        found.push(...(await measureDataset(service, dataset, count)))
  if (found.length === 0) throw new Error(`No group and no dataset has "${only}" in its name.`)
  if (svg) {
    mkdirSync(svg, { recursive: true })
    for (const group of new Set(found.map(({ group }) => group)))
      writeFileSync(
        join(svg, `growth-${group}.svg`),
        growthChart(
          groups[group],
          found.filter((one) => one.group === group),
        ),
      )
  }
  console.log(json ? JSON.stringify(found, null, 1) : table(found))
}

/** Measures a dataset over `count` databases, in a runtime of its own. */
async function measureDataset(service: string, dataset: Dataset, count: number): Promise<Measurement[]> {
  const isWanted = ({ group }: Operation) =>
    [dataset.name, group, groups[group]].some((name) => name.includes(only))
  const sources = { service, ...idle }
  const state = join(scratch, `state-${dataset.name}-${count}`)
  const runtime = await serve(sources, state, count)
  try {
    const place = await placeIn(runtime, count)
    if (!dataset.operations(place, 1_000).some(isWanted)) return []
    for (const database of runtime.databases) await migrate(database)
    await layOut(runtime.databases)
    await dataset.prepare(place)
    const found: Measurement[] = []
    let seeded = 0
    for (const size of sizes) {
      const over = count === 1 ? '' : ` over ${count} databases`
      console.error(`${dataset.name}${over}: putting in ${(size - seeded).toLocaleString('en-US')} rows …`)
      await dataset.seed(place, { from: seeded, to: size })
      seeded = size
      console.error(`${dataset.name}${over}: measuring with ${size.toLocaleString('en-US')} …`)
      for (const operation of dataset.operations(place, size).filter(isWanted))
        found.push({
          group: operation.group,
          title: operation.title,
          databases: count,
          size,
          ...(await measure(runtime, place, operation)),
        })
    }
    return found
  } finally {
    await runtime.stop()
    rmSync(state, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function placeIn(runtime: Runtime, count: number): Promise<Place> {
  const { databases } = runtime
  const owners = databases.map((_, index) => userIn(index, count, 'owner'))
  const at = Math.min(1, count - 1)
  const [user, home] = [userIn(at, count, 'ada'), databases[at] ?? runtime.database]
  const ask = async (asked: Asked) => {
    const { status, text } = await fetched(runtime, asked, user)
    if (status >= 300) throw new Error(`${asked.method} ${asked.path}: ${status} ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
  return { databases, owners, user, home, ask }
}

/** Measures an operation: two counted requests, the first as a warm-up, and then the timed ones. */
async function measure(runtime: Runtime, place: Place, operation: Operation) {
  const { before = [], after, times = TIMES, refusal } = operation
  const cursor = await cursorOf(place, operation)
  const timed: number[] = []
  let counted: Counted | undefined
  for (let repetition = 0; repetition < times + 2; repetition++) {
    const answers: Answered[] = []
    for (const asked of before) answers.push(await place.ask(asked))
    const asked = operation.ask(repetition, answers)
    const request = { ...asked, path: asked.path + cursor }
    const began = performance.now()
    // Counted requests need a warm-up of their own: the isolate caches the map of partitions by binding, and theirs differ.
    const isCounted = repetition <= 1
    const { status, text } = await fetched(runtime, request, place.user, isCounted)
    if (repetition > 1) timed.push(performance.now() - began)
    if (isCounted) counted = JSON.parse(text)
    const answer = counted && isCounted ? counted : { status, body: text }
    if (answer.status >= 300 && answer.status !== refusal)
      throw new Error(`${operation.title}: ${request.path}: ${answer.status} ${answer.body}`)
    if (after) await place.ask(after)
  }
  const { trips = 0, rows_read = 0, rows_written = 0 } = counted ?? {}
  timed.sort((one, other) => one - other)
  const ms = (value = 0) => Math.round(value * 100) / 100
  return {
    trips,
    rows_read,
    rows_written,
    median_ms: ms(timed[Math.floor(timed.length / 2)]),
    least_ms: ms(timed[0]),
  }
}

/** The query parameter with the cursor of a page after a given row: the first page's cursor with another key and id. */
async function cursorOf(place: Place, { ask, cursor }: Operation): Promise<string> {
  if (!cursor) return ''
  const page = await place.ask(ask(0, []))
  const [list, key]: unknown[] = JSON.parse(Buffer.from(page.next_cursor ?? '', 'base64url').toString())
  const position = [list, cursor[0] ?? key, cursor[1]]
  return `&cursor=${Buffer.from(JSON.stringify(position)).toString('base64url')}`
}

async function fetched(runtime: Runtime, asked: Asked, user: string, isCounted = false) {
  const { method, path, body, scope, key } = asked
  const caller = scope ? 'operator' : user
  const name = `${caller} ${scope}`
  const token = tokens.get(name) ?? (await tokenOf(caller, scope))
  tokens.set(name, token)
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body && { 'Content-Type': 'application/json' }),
    ...(key && { 'Idempotency-Key': crypto.randomUUID() }),
    ...(isCounted && { 'X-Count': '1' }),
  }
  const address = await runtime.addressOf('service')
  const response = await fetch(address + path, { method, headers, body: body ? JSON.stringify(body) : null })
  return { status: response.status, text: await response.text() }
}

/** The figures as Markdown: a row for each operation and number of databases, a column for each size. */
function table(found: Measurement[]): string {
  const rows = Map.groupBy(found, ({ group, title, databases }) => `${group} | ${title} | ${databases}`)
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  const heads = ['group', 'operation', 'databases', 'D1 trips', 'rows read', 'rows written', 'ms, median']
  return [
    `With ${sizes.map((size) => size.toLocaleString('en-US')).join(' / ')} rows:`,
    '',
    line(heads),
    line(heads.map(() => '---')),
    ...[...rows].map(([name, of]) =>
      line([
        name,
        figuresOf(of.map(({ trips }) => trips)),
        figuresOf(of.map(({ rows_read }) => rows_read)),
        figuresOf(of.map(({ rows_written }) => rows_written)),
        of.map(({ median_ms }) => median_ms.toFixed(1)).join(' / '),
      ]),
    ),
  ].join('\n')
}

/** The figures of all sizes; one figure if all are equal. */
function figuresOf(figures: number[]): string {
  const texts = figures.map((figure) => figure.toLocaleString('en-US'))
  return new Set(texts).size === 1 ? (texts[0] ?? '') : texts.join(' / ')
}
