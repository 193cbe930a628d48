import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { developmentToken, webhookSecret } from '../../scripts/development.ts'
import { project } from './citations.ts'
import { blocksOf } from './guides.ts'
import { Server } from './server.ts'

const folder = join(project, 'out/events-test')
const program = join(folder, 'receiver.mjs')

let server: Server | undefined
let receiver: ChildProcess | undefined
let port: number
/** What the receiver has printed: a line for each event. */
let printed = ''

beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  const [example = ''] = blocksOf('events.md', 'js')
  await writeFile(program, example)
  port = await freePort()
  // As npm run dev -- --webhook has it (scripts/dev.ts).
  const WEBHOOK_URL = `http://localhost:${port}/events`
  server = await Server.start({ WEBHOOK_URL, WEBHOOK_SECRET: webhookSecret() })
})
afterAll(async () => {
  receiver?.kill()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

it('the receiver of docs/events.md gets what happens from the local server, through its queue', async () => {
  await startReceiver()
  const { id } = await createAsset('one')
  await expect.poll(() => printed).toContain(`asset.created {"asset_id":"${id}"`)
  const body = '{"type":"asset.created","timestamp":"2026-11-22T14:40:00.000Z","data":{}}'
  const headers = { 'webhook-id': 'forged', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) }
  const signed = new Webhook(`whsec_${btoa('another secret than the one it has')}`).sign(
    'forged',
    new Date(),
    body,
  )
  const forged = await fetch(`http://localhost:${port}/events`, {
    method: 'POST',
    headers: { ...headers, 'webhook-signature': signed },
    body,
  })
  expect(forged.status).toBe(401)
})

it('npm run events shows what waits while the receiver is down, and sends it again', async () => {
  receiver?.kill()
  if (receiver) await once(receiver, 'exit')
  const { id } = await createAsset('two')
  await expect.poll(overview).toMatch(/could not be reached/)
  const shown = await events()
  expect(shown).toMatch(/1 waiting[\s\S]*asset\.created[\s\S]*could not be reached/)
  const [event = ''] = /[0-9a-f-]{36}(?= {2}asset\.created)/.exec(shown) ?? []
  // The queue tries again by itself: once the receiver is there, the event may be gone before the command comes.
  expect(await events('resend', event)).toContain('1 event is sent again.')
  await startReceiver()
  await events('resend', event)
  await expect.poll(() => printed).toContain(id)
  await expect.poll(overview).toContain('"waiting":0,')
  expect(await events('discard', event)).toContain(`No event ${event} is parked.`)
}, 60_000)

/** What the service says of the events that wait. */
async function overview(): Promise<string> {
  const Authorization = `Bearer ${await developmentToken('support', { scope: 'events:manage' })}`
  return (await fetch(`${server?.url()}/v1/events`, { headers: { Authorization } })).text()
}

async function createAsset(name: string): Promise<{ id: string }> {
  const response = await fetch(`${server?.url()}/v1/game/assets`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await developmentToken('ada')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name, type: 'world' }),
  })
  expect(response.status).toBe(201)
  return response.json()
}

async function startReceiver(): Promise<void> {
  receiver = spawn(process.execPath, [program], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: webhookSecret() },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  receiver.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    printed += piece
  })
  const answers = () => fetch(`http://localhost:${port}`, { method: 'POST' }).then(({ status }) => status)
  await expect.poll(() => answers().catch(() => 0)).toBe(401)
}

/** What `npm run events` prints, errors included. */
async function events(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['scripts/events.ts', ...args, '--port', String(server?.port)], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return out + errors
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0)
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address ? address.port : 0
}
