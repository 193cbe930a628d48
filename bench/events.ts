/**
 * npm run bench:events [-- --events N --delay MS --only flood|checks]: measures how long a player's event is delayed by another
 * player's flood of events, and by a content checker that does not answer. The receiver takes `--delay` milliseconds (50) for
 * each event.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { bundle, project } from './bundle.ts'
import { idOf, idSql, insertNumbered, migrate, openAccount } from './planting.ts'
import { scratchFolder } from './scratch.ts'
import { type Database, variables } from './serve.ts'
import { tokenOf } from './token.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    delay: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
  },
})
const [count, delay_ms] = [Number(values.events), Number(values.delay)]
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(delay_ms) || delay_ms < 0) {
  console.error('Usage: npm run bench:events [-- --events N --delay MS --only flood|checks]')
  process.exit(2)
}

/** How many uploads wait for the checker that does not answer. */
const CHECKS = 100
const LONGEST_MS = 400_000
const FLOODER = 'flooder'

const scratch = scratchFolder('events')

/** The arrival of the first event of each owner, and the number of all arrived events. */
const arrived = new Map<string, number>()
let arrivals = 0
const receiver = createServer(async (request, response) => {
  const chunks: string[] = []
  request.setEncoding('utf8')
  for await (const chunk of request) chunks.push(String(chunk))
  if (request.url === '/check') return // the checker that does not answer
  arrivals++
  const owner = /"owner_id":"([^"]*)"/.exec(chunks.join(''))?.[1] ?? ''
  if (!arrived.has(owner)) arrived.set(owner, performance.now())
  await setTimeout(delay_ms)
  response.writeHead(204).end()
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo

console.error('Bundling the service …')
const service = await bundle('src/index.ts', join(scratch, 'service'))
console.log('| beside | the event of another player arrives after, s | all events arrive after, s |')
console.log('|---|---|---|')
await withService('flood', async (database, post) => {
  await plantEvents(database)
  await measure(`${count.toLocaleString('en')} events of one player`, post, count + 1)
})
await withService('checks', async (database, post, queueOfChecks) => {
  await queueOfChecks.sendBatch((await plantChecks(database)).map((body) => ({ body })))
  await setTimeout(3_000) // the queue delivers a batch after a second
  await measure(`${CHECKS} checks of content that nobody answers`, post, 1)
})
receiver.closeAllConnections()
receiver.close()

type Post = (user: string) => Promise<void>
type Producer = { sendBatch: (messages: { body: unknown }[]) => Promise<unknown> }

async function withService(
  name: string,
  act: (database: Database, post: Post, checks: Producer) => Promise<void>,
): Promise<void> {
  if (!name.includes(values.only)) return
  process.env.WRANGLER_LOG ??= 'error'
  const deployed = unstable_getMiniflareWorkerOptions(`${project}wrangler.toml`)
  const { assets: _, ...options } = deployed.workerOptions
  const host = '127.0.0.1'
  const secret = `whsec_${Buffer.from('a secret of the bench, known to nobody').toString('base64')}`
  const bindings = {
    ...variables,
    DEVELOPMENT: 'on',
    WEBHOOK_URL: `http://localhost:${port}/events`,
    WEBHOOK_SECRET: secret,
    CONTENT_CHECK_URL: `http://localhost:${port}/check`,
    CONTENT_CHECK_SECRET: secret,
  }
  const worker = {
    ...options,
    name: 'service',
    bindings,
    d1Databases: { DB: 'DB' },
    modules: [{ type: 'ESModule' as const, path: 'index.js', contents: service }],
    unsafeDirectSockets: [{ host, port: 0 }],
  }
  const runtime = { host, port: 0, cf: false, defaultPersistRoot: join(scratch, name) } as const
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...runtime,
      workers: [worker, ...deployed.externalWorkers],
      handleStructuredLogs: () => {},
    }),
  )
  try {
    await miniflare.ready
    const database = await miniflare.getD1Database('DB', 'service')
    await migrate(database)
    const { origin } = await miniflare.unsafeGetDirectURL('service')
    const checks = await miniflare.getQueueProducer<unknown>('CHECKS', 'service')
    arrived.clear()
    arrivals = 0
    await act(database, (user) => causeEvent(origin, user), checks)
  } finally {
    await miniflare.dispose()
  }
}

/** Inserts the events of one player's deletions into the outbox. */
async function plantEvents(database: Database): Promise<void> {
  const id = idSql('i', FLOODER)
  const data = `json_object('file_id', ${id}, 'owner_id', '${FLOODER}')`
  await insertNumbered(
    database,
    { from: 0, to: count },
    `INSERT INTO outbox_entry (id, type, resource_id, data, created_at, max_events, max_of_owner)
      SELECT ${id}, 'file.purged', ${id}, ${data}, unixepoch(), 1e9, 1e9 FROM n`,
  )
}

/** Inserts uploads of one player that wait for their check. Returns the queue messages for them. */
async function plantChecks(database: Database): Promise<{ kind: 'check'; upload_id: string }[]> {
  await openAccount(database, FLOODER)
  await insertNumbered(
    database,
    { from: 0, to: CHECKS },
    `INSERT INTO uploads (id, owner_id, upload_type, state, size_bytes, mime_type, asset_type, name, visibility, created_at,
        expires_at, url_ttl, check_state, check_began_at, check_next_at)
      SELECT ${idSql('i', FLOODER)}, '${FLOODER}', 'game_asset', 'open', 1, 'image/png', 'prop', 'prop ' || i, 'private',
        unixepoch(), unixepoch() + 86400, 3600, 'waiting', unixepoch(), unixepoch() FROM n`,
  )
  return Array.from({ length: CHECKS }, (_, i) => ({ kind: 'check', upload_id: idOf(i, FLOODER) }))
}

/** Causes one event of a user: starts an upload and aborts it. */
async function causeEvent(origin: string, user: string): Promise<void> {
  const headers = { Authorization: `Bearer ${await tokenOf(user)}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({
    upload_type: 'file',
    name: 'notes.txt',
    mime_type: 'text/plain',
    size_bytes: 5,
  })
  const started = await fetch(`${origin}/v1/uploads`, { method: 'POST', headers, body })
  const upload: unknown = await started.json()
  if (typeof upload !== 'object' || upload === null || !('upload_id' in upload || 'id' in upload))
    throw new Error(`the upload was answered with ${started.status}: ${JSON.stringify(upload)}`)
  const id = 'upload_id' in upload ? upload.upload_id : upload.id
  const aborted = await fetch(`${origin}/v1/uploads/${id}`, { method: 'DELETE', headers })
  if (!aborted.ok) throw new Error(`the abortion was answered with ${aborted.status}`)
}

/** Causes an event of another player, waits until all events have arrived, and prints the times. */
async function measure(beside: string, post: Post, expected: number): Promise<void> {
  const before = arrivals
  const began = performance.now()
  await post('other')
  await until(() => arrived.has('other'), began)
  await until(() => arrivals - before >= expected, began)
  const seconds = (time = performance.now()) => ((time - began) / 1_000).toFixed(1)
  console.log(`| ${beside} | ${seconds(arrived.get('other'))} | ${seconds()} |`)
}

async function until(isSo: () => boolean, began: number): Promise<void> {
  while (!isSo()) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`not within ${LONGEST_MS / 1_000} s`)
    await setTimeout(20)
  }
}
