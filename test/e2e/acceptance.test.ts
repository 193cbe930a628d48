import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { createClient } from '#client'
import { byHand } from '../../scripts/acceptance/by-hand.ts'
import { developmentToken, project } from '../../scripts/development.ts'
import { finished } from './server.ts'
import { PART_BYTES, type SharedServer, sharedServer } from './shared-servers.ts'

let server: SharedServer

beforeAll(async () => {
  server = await sharedServer('small_parts')
})

/** Runs the tests against an address, as a person does. */
const accept = (args: string[], environment: Record<string, string> = {}) =>
  finished(['scripts/acceptance.ts', ...args], undefined, { TALLY: '', NO_COLOR: '1', ...environment })

/**
 * A server that is like a deployment: it gives no tokens away, and sends everything else on. What `instead` answers to a path comes in
 * place of the service's answer.
 */
async function deployment(instead: (path: string) => string | undefined = () => undefined): Promise<string> {
  const front = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path.startsWith('/development/')) return response.writeHead(404).end('{}')
    const other = instead(path)
    if (other !== undefined) return response.writeHead(200, { 'Content-Type': 'application/json' }).end(other)
    const { method, headers } = request
    const back = (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    }
    return request.pipe(ask(server.url() + path, { method, headers }, back))
  })
  front.on('upgrade', (request: IncomingMessage, socket) => {
    const { hostname, port } = new URL(server.url())
    const far = connect(Number(port), hostname)
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    far.write(`GET ${request.url} HTTP/1.1\r\n${headers.join('')}\r\n`)
    far.pipe(socket).pipe(far)
    far.on('error', () => socket.destroy())
    socket.on('error', () => far.destroy())
  })
  front.listen(0).unref()
  await once(front, 'listening')
  const address = front.address()
  if (typeof address !== 'object' || address === null) throw new Error('It does not listen.')
  return `http://localhost:${address.port}`
}

/** Two test users with their tokens. */
async function twoUsers() {
  const ids = ['ada', 'bob'].map((name) => `${name}-${crypto.randomUUID()}`)
  const [SMOKE_TOKEN = '', SMOKE_OTHER_TOKEN = ''] = await Promise.all(ids.map((id) => developmentToken(id)))
  const client = createClient({ baseUrl: server.url(), token: SMOKE_TOKEN })
  return { client, ids, tokens: { SMOKE_TOKEN, SMOKE_OTHER_TOKEN } }
}

it('the profile smoke gives everything back to two users who have something of their own, and does not erase them', {
  tags: 'release',
}, async () => {
  const { client, tokens } = await twoUsers()
  const { id } = await client.files.createFolder({ name: 'mine' })
  const url = await deployment()
  const SMOKE_ERASE_TOKEN = await developmentToken('eraser', { scope: 'users:erase' })
  const refused = await accept([url, '--profile', 'smoke'], { ...tokens, SMOKE_ERASE_TOKEN })
  expect(refused.code, refused.output).toBe(1)
  expect(refused.output).toContain('One of the two users has content of its own')
  const passed = await accept([url, '--profile', 'smoke'], tokens)
  expect(passed.code, passed.output).toBe(0)
  for (const promise of ['is ready', 'takes an upload', 'shares a file', 'keeps a save', 'opens a socket'])
    expect(passed.output).toMatch(new RegExp(`✓ .*${promise}`))
  expect(passed.output).toContain('The two users stay')
  expect((await client.files.list().page()).files.map((file) => file.id)).toEqual([id])
  expect((await client.trash.list().page()).files).toEqual([])
  expect((await client.quota.get()).used_bytes).toBe(0)
})

it('the profile smoke erases two users who had nothing, with a token for that', {
  tags: 'release',
}, async () => {
  const { ids, tokens } = await twoUsers()
  const SMOKE_ERASE_TOKEN = await developmentToken('eraser', { scope: 'users:erase' })
  const { code, output } = await accept([await deployment(), '--profile', 'smoke'], {
    ...tokens,
    SMOKE_ERASE_TOKEN,
  })
  expect(code, output).toBe(0)
  const operators = { Authorization: `Bearer ${await developmentToken('support', { scope: 'users:read' })}` }
  for (const id of ids) {
    const answer = await fetch(`${server.url()}/v1/users/${id}`, { headers: operators })
    expect(await answer.json()).toMatchObject({ is_being_erased: true })
  }
})

it('the profile full passes with tokens of a login, tries parts, and lists what is for a person', {
  tags: 'release',
}, async () => {
  const TOKEN_COMMAND = `${process.execPath} ${project}scripts/token.ts "$USER_ID" \${SCOPE:+--scope "$SCOPE"}`
  const { code, output } = await accept(
    [await deployment(), '--profile', 'full', 'acceptance/', 'test/favorites/fav'],
    {
      TOKEN_COMMAND,
      ACCEPTANCE_MULTIPART_BYTES: String(PART_BYTES + 1_000),
    },
  )
  // What only R2 does fails on the simulator, when it is taken for a deployment.
  expect(code, output).toBe(1)
  expect(
    output
      .match(/^ FAIL .*$/gm)
      ?.map((line) => line.split(' > ').at(-1))
      .sort(),
  ).toEqual([
    'a download has the name that the file has been given since',
    'is refused with other bytes than those whose SHA-256 was declared',
  ])
  for (const { name } of byHand) expect(output).toContain(`☐ ${name}: `)
})

it('a test fails when the service does something else', async () => {
  const url = await deployment((path) => (path.startsWith('/v1/saves') ? '{}' : undefined))
  const { code, output } = await accept([url, '--profile', 'smoke'], (await twoUsers()).tokens)
  expect(code).toBe(1)
  expect(output).toMatch(/× .*keeps a save/)
  expect(output).toMatch(/Tests +1 failed \| 6 passed/)
})

it.each([
  [[], 'Name the address of one service.'],
  [['nonsense'], 'Invalid URL'],
  [['http://localhost:1', '--profile', 'dance'], 'smoke'],
])('npm run acceptance refuses %j', async (args, reason) => {
  const { code, output } = await accept(args)
  expect(output).toContain(reason)
  expect(code).toBe(2)
})

it('says of an address that does not answer that it can’t be reached, and of a deployment that it needs tokens', async () => {
  const gone = await accept(['http://localhost:1'])
  expect(gone.output).toMatch(/^http:\/\/localhost:1 can't be reached: /m)
  expect(gone.code).toBe(1)
  const strange = await accept([await deployment()])
  expect(strange.output).toContain('set TOKEN_COMMAND')
  expect(strange.code).toBe(2)
})
