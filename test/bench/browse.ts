/**
 * npm run bench:browse [-- --assets N --databases 1,3,6]: a page of public assets over several databases, each with
 * `--assets` (100,000) of them, and with a hundredth of that: what it asks, reads and takes.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SignJWT } from 'jose'
import { unstable_splitSqlQuery as statementsOf } from 'wrangler'
import { bundle, project } from './bundle.ts'
import type { RecordedAnswer } from './plan.ts'
import { type Database, type Runtime, serve, variables } from './serve.ts'

const { values } = parseArgs({
  options: {
    assets: { type: 'string', default: '100000' },
    databases: { type: 'string', default: '1,3,6' },
  },
})
const most = Number(values.assets)
const counts = values.databases.split(',').map(Number)
if (![most / 100, ...counts].every((count) => Number.isInteger(count) && count >= 1)) {
  console.error('Usage: npm run bench:browse [-- --assets N (hundreds) --databases 1,3,6]')
  process.exit(2)
}

/** How often each page is asked for; the median is told. */
const TIMES = 60
/** As many assets as one statement puts in. */
const SLICE = 20_000

const scratch = mkdtempSync(join(tmpdir(), 'edge-game-storage-browse-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }))

console.error('Bundling the service …')
const [service, probe] = await Promise.all([
  bundle('src/index.ts', join(scratch, 'service')),
  bundle('test/bench/probe.ts', join(scratch, 'probe'), [`./service.js:${project}src/app.ts`]),
])
const floor = 'export class Inbox {}; export class Janitor {}; export default { fetch: () => new Response() }'
const token = await new SignJWT()
  .setProtectedHeader({ alg: 'HS256' })
  .setSubject('bench-user')
  .setExpirationTime('2h')
  .sign(new TextEncoder().encode(variables.JWT_SECRET))

/** The number of an asset among those of all databases, which follow each other in turn, is that of its id's time. */
const idOf = (n: string) =>
  `printf('%08x-%04x-7abc-9abc-%012x', 0x19a00000 + (${n}) / 65536, (${n}) % 65536, ${n})`

console.log('| page of 50 | databases | assets in each | D1 queries | rows read | ms in the median (least) |')
console.log('| --- | --- | --- | --- | --- | --- |')
for (const count of counts) {
  const state = join(scratch, `state-${count}`)
  const runtime = await serve({ service, probe, floor }, state, count)
  for (const database of runtime.databases) await migrate(database)
  let seeded = 0
  for (const assets of [most / 100, most]) {
    for (const [shard, database] of runtime.databases.entries())
      await seed(database, { from: seeded, to: assets, shard, count })
    seeded = assets
    for (const path of [
      '',
      `cursor=${await cursorAt(runtime, Math.floor((assets * count) / 2))}`,
      'q=castle',
      'q=quartz',
    ])
      console.log(`| ${titleOf(path)} | ${count} | ${assets} | ${await measured(runtime, path)} |`)
  }
  await runtime.stop()
  rmSync(state, { recursive: true, force: true, maxRetries: 3 })
}

async function migrate(database: Database): Promise<void> {
  for (const file of readdirSync(`${project}migrations`).sort())
    for (const statement of statementsOf(readFileSync(`${project}migrations/${file}`, 'utf8')))
      await database.prepare(statement).run()
  await database
    .prepare(
      `INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
        max_open_uploads, max_ended_uploads, max_idempotency_keys) VALUES ('others', 1e15, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9)`,
    )
    .run()
}

/** The cursor of the page that begins after an asset: that of the second page, with another id. */
async function cursorAt(runtime: Runtime, n: number): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(`${await runtime.addressOf('service')}/v1/game/public?limit=50`, { headers })
  const { next_cursor }: { next_cursor: string } = JSON.parse(await response.text())
  const [list, key]: unknown[] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString())
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  const id = `${hex(0x19a00000 + Math.floor(n / 65536), 8)}-${hex(n % 65536, 4)}-7abc-9abc-${hex(n, 12)}`
  return Buffer.from(JSON.stringify([list, key, id])).toString('base64url')
}

/** Nine of ten are forests, every tenth is a castle, every thousandth one of quartz. */
async function seed(
  database: Database,
  { from, to, shard, count }: { from: number; to: number; shard: number; count: number },
): Promise<void> {
  const insert = database.prepare(
    `WITH RECURSIVE n (i) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?2 - 1),
    named (i, n, name) AS (SELECT i, i * ${count} + ${shard}, printf('%s %07d', CASE WHEN i % 1000 = 1 THEN 'quartz'
      WHEN i % 10 = 0 THEN 'castle' ELSE 'forest' END, i * ${count} + ${shard}) FROM n)
    INSERT INTO game_assets (number, id, owner_id, type, name, search_name, visibility, created_at, updated_at)
    SELECT 3700000000000000000 + n * 524288, ${idOf('n')}, 'others',
      CASE i % 3 WHEN 0 THEN 'world' WHEN 1 THEN 'avatar' ELSE 'prop' END, name, name, 'public', 1700000000, 1700000000
    FROM named`,
  )
  for (let first = from; first < to; first += SLICE) {
    console.error(`Seeding database ${shard + 1} of ${count}: ${first} of ${to} assets …`)
    await insert.bind(first, Math.min(first + SLICE, to)).run()
  }
}

function titleOf(query: string): string {
  return query === ''
    ? 'newest'
    : query.startsWith('cursor')
      ? 'from the middle'
      : `search "${query.slice(2)}"`
}

/** What a page costs, and how long it takes. */
async function measured(runtime: Runtime, query: string): Promise<string> {
  const path = `/v1/game/public?limit=50&${query}`
  const headers = { Authorization: `Bearer ${token}` }
  const recorder = await runtime.addressOf('recorder')
  const { status, body, trips }: RecordedAnswer = JSON.parse(
    await (await fetch(recorder + path, { headers })).text(),
  )
  const found: unknown[] = status === 200 ? JSON.parse(body).assets : []
  if (found.length !== 50 && !query.startsWith('q=quartz')) throw new Error(`${path}: ${status} ${body}`)
  const rows = trips.flat().reduce((sum, { rows_read }) => sum + rows_read, 0)

  const address = await runtime.addressOf('service')
  const took: number[] = []
  for (let i = 0; i < TIMES; i++) {
    const began = performance.now()
    const response = await fetch(address + path, { headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    took.push(performance.now() - began)
  }
  took.sort((one, other) => one - other)
  return `${trips.length} | ${rows} | ${(took[TIMES / 2] ?? 0).toFixed(1)} (${(took[0] ?? 0).toFixed(1)})`
}
