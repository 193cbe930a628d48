import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json, text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '#client'
import { project } from '../../scripts/development.ts'
import { address, attacks, requireRefused, testsFromTheNetwork } from './from-the-network.ts'
import { finished, Server } from './server.ts'

const Minted = z.object({ token: z.string() })

let server: Server

/** What has arrived at the address of `--webhook`. */
const events: unknown[] = []
const receiver = createServer(async (request, response) => {
  events.push({ signature: request.headers['webhook-signature'], event: await json(request) })
  response.end()
})

beforeAll(async () => {
  await once(receiver.listen(0), 'listening')
  const address = receiver.address()
  const port = typeof address === 'object' ? address?.port : undefined
  server = await Server.startAnew({}, '--ip', '0.0.0.0', '--webhook', `http://localhost:${port}/events`)
})
afterAll(async () => {
  await server.stop()
  receiver.close()
})

const get = (path: string, init?: RequestInit) => fetch(server.url() + path, { redirect: 'manual', ...init })

async function mint(user_id: string): Promise<string> {
  const answer = await get('/development/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user_id }),
  })
  return Minted.parse(await answer.json()).token
}

/** What a request is that comes by the name that another machine of the network uses. */
function byName(
  host: string,
  method: string,
  url: URL,
  headers: Record<string, string>,
  body: string,
  through = 'localhost',
) {
  return new Promise<IncomingMessage>((answered, failed) =>
    request(
      {
        host: through,
        port: server.port,
        path: url.pathname + url.search,
        method,
        headers: { ...headers, host },
      },
      answered,
    )
      .on('error', failed)
      .end(body),
  )
}

describe('the start', () => {
  it('ends with the addresses, how to get a token, and how to stop', () => {
    const [, block = ''] = server.output().split('is running.')
    for (const line of [
      `Page          ${server.url()}/`,
      `Console       ${server.url()}/console/`,
      `Reference     ${server.url()}/docs`,
      `Guides        ${server.url()}/guides/`,
      'A token       npm run --silent token -- ada',
      '              where everyone can sign in as any user',
      'Stop          Ctrl-C',
    ])
      expect(block).toContain(line)
  })

  it('prints nothing before that but what it does', () => {
    const [before = ''] = server.output().split('Edge game storage')
    expect(before.trim().split('\n')).toEqual(['Migrating the local database …', 'Starting …'])
  })

  it('says at once that the port is taken, by whom, and what to do', async () => {
    const { code, output } = await finished(['scripts/dev.ts', '--port', String(server.port)])
    expect(code).toBe(1)
    expect(output).toContain(`Port ${server.port} is taken by this service`)
    expect(output).toMatch(/npm run dev -- --port \d+$/m)
    expect(output).not.toContain('Starting')
  })

  it('logs each request', async () => {
    await get('/v1/nothing')
    await expect.poll(() => server.output()).toMatch(/^GET \/v1\/nothing 401 Unauthorized/m)
  })

  it('names in the log, in development, what a request has and the service ignores', async () => {
    const token = await mint('ada')
    await get('/v1/quota?colour=red', { headers: { Authorization: `Bearer ${token}` } })
    await expect
      .poll(() => server.output())
      .toMatch(/^\w+ \(GET \/v1\/quota\) ignores query parameter "colour"$/m)
  })
})

describe('--webhook', () => {
  it('names the address that gets events, signed', async () => {
    const headers = { Authorization: `Bearer ${await mint('ada')}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: `castle ${crypto.randomUUID()}`, type: 'world' })
    expect((await get('/v1/game/assets', { method: 'POST', headers, body })).status).toBe(201)
    const signature = expect.stringMatching(/^v1,/)
    await expect.poll(() => events).toMatchObject([{ signature, event: { type: 'asset.created' } }])
  })
})

describe('a phone in the same network', () => {
  it('gets URLs of the host that it asked, which take and give content', async () => {
    const host = `192.168.7.20:${server.port}`
    const headers = { Authorization: `Bearer ${await mint('ada')}`, 'Content-Type': 'application/json' }
    const body = {
      upload_type: 'file',
      name: `phone ${crypto.randomUUID()}`,
      size_bytes: 2,
      mime_type: 'text/plain',
    }
    const uploads = new URL(`${server.url()}/v1/uploads`)
    const started = await byName(host, 'POST', uploads, headers, JSON.stringify(body))
    const upload = z
      .object({ id: z.string(), url: z.string(), headers: z.record(z.string(), z.string()) })
      .parse(await json(started))
    expect(new URL(upload.url).host).toBe(host)
    expect((await byName(host, 'PUT', new URL(upload.url), upload.headers, 'hi')).statusCode).toBe(200)

    const completion = new URL(`${uploads.href}/${upload.id}/complete`)
    const completed = await byName(host, 'POST', completion, headers, '')
    const { file } = z.object({ file: z.object({ id: z.string() }) }).parse(await json(completed))
    const download = await byName(
      host,
      'GET',
      new URL(`${server.url()}/v1/files/${file.id}/url`),
      headers,
      '',
    )
    const { url } = z.object({ url: z.string() }).parse(await json(download))
    expect(new URL(url).host).toBe(host)
    expect(await text(await byName(host, 'GET', new URL(url), {}, ''))).toBe('hi')
  })

  it('may come from a page of the network, and opens a socket', async () => {
    const preflight = await byName(
      `192.168.7.20:${server.port}`,
      'OPTIONS',
      new URL(`${server.url()}/cdn-cgi/local/r2/s3/edge-game-storage/x`),
      { Origin: 'http://192.168.7.20:5173', 'Access-Control-Request-Method': 'PUT' },
      '',
    )
    expect([200, 204]).toContain(preflight.statusCode)
    const socket = new WebSocket(`ws://localhost:${server.port}/v1/notifications/ws`, [
      'notifications.v1',
      `bearer.${await mint('ada')}`,
    ])
    const [message] = await once(socket, 'message')
    expect(JSON.parse(message.data)).toMatchObject({ type: 'ready' })
    socket.close()
  })
})

describe('a machine that asks by a public name', () => {
  it('gets nothing, neither of the service nor of the bucket', async () => {
    const object = new URL(`${server.url()}/cdn-cgi/local/r2/s3/edge-game-storage/x`)
    expect((await byName('game.example', 'GET', object, {}, '')).statusCode).toBe(403)
    const health = new URL(`${server.url()}/health`)
    expect((await byName('game.example', 'GET', health, {}, '')).statusCode).toBe(503)
  })
})

describe('what wrangler has for this machine', () => {
  it('is there for it, like the scheduled job, and not by the name that others use', async () => {
    const ran = await finished(['scripts/job.ts', '--port', String(server.port)])
    expect(ran.code, ran.output).toBe(0)
    const job = new URL(`${server.url()}/cdn-cgi/local/scheduled`)
    expect((await byName('192.168.7.20', 'GET', job, {}, '')).statusCode).toBe(403)
  })

  it.skipIf(!address)('is not there for others that say they are this machine', async () => {
    const job = new URL(`${server.url()}/cdn-cgi/local/scheduled`)
    const answer = await byName(`localhost:${server.port}`, 'GET', job, {}, '', address)
    expect(answer.statusCode).toBe(403)
    expect(await text(answer)).toContain('for this machine only')
  })
})

describe('wrangler’s SQL on the databases', () => {
  it.skipIf(!address).each(Object.entries(attacks))('is not reached by %s', (_, lines) =>
    requireRefused(server, lines),
  )
})

testsFromTheNetwork(() => server)

describe('what the Worker serves beside the pages', () => {
  it('is every path that no page has: unknown paths are problems, also below those of the pages', async () => {
    for (const path of ['/v1/nothing', '/nothing', '/docs/nothing']) {
      const answer = await get(path)
      expect(answer.headers.get('Content-Type'), path).toBe('application/problem+json')
    }
    // What no guide has is a page, for people.
    for (const path of ['/static/nothing.js', '/guides/nothing']) {
      const answer = await get(path)
      expect(answer.status, path).toBe(404)
      expect(answer.headers.get('Content-Type'), path).toContain('text/html')
    }
    for (const path of ['/%E0%A4%A', '/console/%']) expect((await get(path)).status, path).toBe(400)
    // The platform redirects to the address with a replacement character, which no guide has.
    expect((await fetch(`${server.url()}/guides/%FF`)).status).toBe(404)
    expect((await get('/nothing')).status).toBe(404)
  })

  it('is open to pages of other origins as before: the description, its HEAD and its preflight', async () => {
    const headers = { Origin: 'https://game.example' }
    const description = await get('/openapi.json', { headers })
    expect(description.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect((await get('/openapi.json', { method: 'HEAD' })).status).toBe(200)
    const preflight = await get('/openapi.json', {
      method: 'OPTIONS',
      headers: { ...headers, 'Access-Control-Request-Method': 'GET' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})

/** A folder with what a clone has, and the packages and the built console of this one, whose making takes long. */
async function freshClone(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clone-'))
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await promisify(execFile)('git', list, { cwd: project, maxBuffer: 2 ** 24 })
  const names = stdout.split('\0').filter((name) => name !== '' && existsSync(join(project, name)))
  await Promise.all([...names, 'out/console.json'].map((name) => cp(join(project, name), join(folder, name))))
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

describe('npx wrangler dev in a fresh clone', { tags: 'release' }, () => {
  let clone = ''
  let wrangler: ChildProcess | undefined
  beforeAll(async () => {
    clone = await freshClone()
  })
  afterAll(async () => {
    if (wrangler?.pid && wrangler.exitCode === null) {
      process.kill(-wrangler.pid, 'SIGKILL')
      await once(wrangler, 'exit')
    }
    await rm(clone, { recursive: true, force: true, maxRetries: 5 })
  })

  it('serves everything, and a deployment is not prepared, nor a state of other migrations', {
    timeout: 240_000,
  }, async () => {
    const execute = (args: string[], env = {}) =>
      promisify(execFile)('node', args, { cwd: clone, env: { ...process.env, ...env } })
    await execute(['scripts/dev/prepare.ts'], { WRANGLER_COMMAND: 'deploy' })
    expect(['.dev.vars', '.wrangler'].filter((name) => existsSync(join(clone, name)))).toEqual([])

    const prepare = () => execute(['scripts/dev/prepare.ts'], { WRANGLER_COMMAND: 'dev' })
    const databases = join(clone, '.wrangler/state/v3/d1')
    await mkdir(databases, { recursive: true })
    const foreign = new DatabaseSync(join(databases, 'foreign.sqlite'))
    foreign.exec(
      `CREATE TABLE d1_migrations (name TEXT); INSERT INTO d1_migrations VALUES ('0000_other.sql')`,
    )
    foreign.close()
    await expect(prepare(), 'a state of other migrations').rejects.toThrow(
      /^The local database was made by other migrations .* To begin anew, delete /m,
    )
    await rm(join(clone, '.wrangler'), { recursive: true })
    await Promise.all([prepare(), prepare()])

    const child = spawn('wrangler', ['dev', '--port', '0', '--inspector-port', '0'], {
      cwd: clone,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
    })
    wrangler = child
    const baseUrl = await new Promise<string>((ready, failed) => {
      let output = ''
      const read = (piece: string) => {
        output += piece
        const [, address] = /Ready on (http:\/\/localhost:\d+)/.exec(output) ?? []
        if (address) ready(address)
      }
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read)
      child.on('exit', () => failed(new Error(`wrangler has ended:\n${output}`)))
    })
    for (const path of ['/', '/docs', '/guides/', '/console/', '/readyz'])
      expect((await fetch(baseUrl + path)).status, path).toBe(200)
    // The pages offer no made-up user where no route makes a token.
    expect(await (await fetch(`${baseUrl}/health`)).json()).not.toHaveProperty('makes_tokens')
    const { stdout } = await execute(['scripts/token.ts', 'ada'])
    const client = createClient({ baseUrl, token: stdout.trim() })
    const content = new Uint8Array(2 ** 21).fill(7)
    const file = await client.files.upload({ content, name: 'what one request does not take' })
    const answer = await client.files.download({ id: file.id })
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true)
  })
})

describe('Ctrl-C', () => {
  it('ends the server and everything that it started, and the next start migrates nothing', async () => {
    await server.kill('SIGINT')
    await expect(get('/')).rejects.toThrow()
    const again = ['scripts/dev.ts', '--port', String(server.port), '--persist-to', server.state]
    const { code, output } = await finished(again, 'Starting')
    expect(code, output).toBe(0)
    expect(output).not.toContain('Migrating')
  })
})
