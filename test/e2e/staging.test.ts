import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from '@hono/zod-openapi'
import { beforeAll, describe, expect, it } from 'vitest'
import { checks } from '../../scripts/staging/all.ts'
import { manualChecks } from '../../scripts/staging/manual-checks.ts'
import { finished } from './server.ts'
import { PART_BYTES, type SharedServer, sharedServer } from './shared-servers.ts'

const names = checks.map(({ name }) => name)

/** A server that gives requests on to the development server, without what only that has. */
async function deploymentBefore(url: string): Promise<{ url: string; end: () => void }> {
  const front = createServer(async (request, response) => {
    const path = request.url ?? '/'
    if (path.startsWith('/development/')) return response.writeHead(404).end('{}')
    const headers = Object.entries(request.headers).filter(([name]) => !['host', 'connection'].includes(name))
    const answer = await fetch(url + path, {
      method: request.method ?? 'GET',
      headers: headers.map(([name, value]) => [name, String(value)]),
      body: ['GET', 'HEAD'].includes(request.method ?? 'GET') ? null : await text(request),
    })
    const body = await answer.text()
    const kept = [...answer.headers].filter(
      ([name]) => !/^(content-(encoding|length)|transfer-encoding)$/.test(name),
    )
    return response.writeHead(answer.status, Object.fromEntries(kept)).end(body)
  }).listen(0)
  await once(front, 'listening')
  const address = front.address()
  if (typeof address !== 'object' || address === null) throw new Error('It does not listen.')
  return { url: `http://localhost:${address.port}`, end: () => front.close() }
}

describe('npm run staging', () => {
  let server: SharedServer
  let output = ''
  let code: number | null = null

  beforeAll(async () => {
    server = await sharedServer('small_parts')
    process.env.STAGING_MULTIPART_BYTES = String(PART_BYTES + 1_000)
    ;({ output, code } = await finished(['scripts/staging.ts', server.url()]))
  }, 120_000) // a server, and every check against it

  /** The names that a line of the summary has. */
  const namesIn = (line: string) => {
    const [, list = ''] = new RegExp(`\\d+ ${line}: (.*)$`, 'm').exec(output) ?? []
    return list.split(', ').filter(Boolean)
  }

  it('makes every check that the development server can, and removes what it has made', async () => {
    expect(output).not.toContain('FAILED')
    expect(code, output).toBe(0)
    expect(namesIn('passed')).toContain('signed-headers')
    expect(namesIn('passed')).toContain('notification')
  })

  it('names what only the platform can show, what can’t be made here, and what takes long, and passes none of it', () => {
    const ofPlatform = checks.filter(({ onPlatform, notHere, takes }) => onPlatform && !notHere && !takes)
    const absent = checks.filter(({ notHere, takes }) => notHere && !takes)
    const long = checks.filter(({ takes }) => takes)
    expect(namesIn('ran on the development server, and only the platform .*?for')).toEqual(
      ofPlatform.map(({ name }) => name),
    )
    expect(namesIn('can’t be made on the development server')).toEqual(absent.map(({ name }) => name))
    expect(namesIn('not made, because they take long')).toEqual(long.map(({ name }) => name))
    const passed = names.filter(
      (name) => ![...ofPlatform, ...absent, ...long].some((one) => one.name === name),
    )
    expect(namesIn('passed')).toEqual(passed)
  })

  it('fails what the simulator can’t do when it is taken for a deployment, so that the checks can fail', async () => {
    const tokens = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const body = JSON.stringify({ user_id: `staging-${name}-${crypto.randomUUID()}` })
        const headers = { 'Content-Type': 'application/json' }
        const answer = await fetch(`${server.url()}/development/token`, { method: 'POST', headers, body })
        return z.object({ token: z.string() }).parse(await answer.json()).token
      }),
    )
    const deployment = await deploymentBefore(server.url())
    Object.assign(process.env, { SMOKE_TOKEN: tokens[0], SMOKE_OTHER_TOKEN: tokens[1] })
    const only = 'health,etag,no-copies,wrong-checksum,renamed-download,bucket-cors'
    const run = await finished(['scripts/staging.ts', deployment.url, '--only', only])
    deployment.end()
    expect(run.output).toMatch(/3 passed: health, etag, no-copies$/m)
    expect(run.output).toMatch(/2 FAILED: wrong-checksum, renamed-download$/m)
    expect(run.output).toMatch(/1 not made, because something is not set: bucket-cors$/m)
    expect(run.code).toBe(1)
  })

  it('says of each check what must come and what came, and lists what is for a person', () => {
    expect(output.match(/^ {4}came {2}\S/gm)).toHaveLength(checks.length)
    expect(output.match(/^ {4}must {2}\S/gm)).toHaveLength(checks.length + manualChecks.length)
    for (const { name } of manualChecks) expect(output).toContain(`☐ ${name}: `)
  })
})

it('npm run staging fails when something else comes than what must, and names it', async () => {
  const sick = createServer((request, response) => {
    const isToken = request.url === '/development/token'
    response.writeHead(isToken ? 200 : 503, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(isToken ? { token: 'a token' } : { status: 'not ready' }))
  }).listen(0)
  await once(sick, 'listening')
  const address = sick.address()
  if (typeof address !== 'object' || address === null) throw new Error('The service does not listen.')
  const run = await finished([
    'scripts/staging.ts',
    `http://localhost:${address.port}`,
    '--only',
    'health,tokens',
  ])
  sick.close()
  expect(run.output).toMatch(/✗ health: [\s\S]*came {2}503 \{"status":"not ready"\}/)
  expect(run.output).toContain('2 FAILED: health, tokens')
  expect(run.code).toBe(1)
})

it('npm run staging -- --list names every check once', async () => {
  const { output } = await finished(['scripts/staging.ts', '--list'])
  for (const name of names)
    expect(output.split('\n').filter((line) => line.startsWith(`${name}: `))).toHaveLength(1)
  expect(new Set([...names, ...manualChecks.map(({ name }) => name)]).size).toBe(
    names.length + manualChecks.length,
  )
})

it.each([
  [['http://localhost:9', '--only', 'dance'], 'There is no check dance'],
  [[], 'Name the address of one deployment.'],
])('npm run staging refuses %j', async (options, reason) => {
  const { code, output } = await finished(['scripts/staging.ts', ...options])
  expect(output).toContain(reason)
  expect(code).toBe(2)
})

it('npm run staging says of an address that does not answer that it can’t be reached', async () => {
  const gone = createServer().listen(0)
  await once(gone, 'listening')
  const address = gone.address()
  if (typeof address !== 'object' || address === null) throw new Error('It does not listen.')
  gone.close()
  await once(gone, 'close')
  const run = await finished(['scripts/staging.ts', `http://localhost:${address.port}`])
  expect(run.output).toMatch(/^http:\/\/localhost:\d+ can't be reached: .*$/m)
  expect(run.output).not.toContain('TypeError')
  expect(run.code).toBe(1)
})
