import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { z } from '@hono/zod-openapi'
import { beforeAll, describe, expect, it } from 'vitest'
import type { StartFileUpload } from '#client'
import { allowedByScope } from '../support/exposed.ts'
import { project } from './citations.ts'
import { clientOf } from './client.ts'
import { finished } from './server.ts'
import { type SharedServer, sharedServer } from './shared-servers.ts'

const Upload = z.object({
  id: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  file: z.object({ id: z.string() }),
})
type Upload = z.output<typeof Upload>

let server: SharedServer
let token: string

beforeAll(async () => {
  server = await sharedServer('usual')
  const printed = await finished(['scripts/token.ts', `ada-${crypto.randomUUID()}`])
  token = printed.output.trim()
})

/** The client of a device that reaches the server by a name. */
const by = (host?: string) => clientOf(server.url(host), token)

async function start(
  declared: Partial<StartFileUpload> & { size_bytes: number },
  host?: string,
): Promise<Upload> {
  const members = { upload_type: 'file', name: 'file.bin', mime_type: 'application/octet-stream' } as const
  return Upload.parse(await by(host).uploads.start({ ...members, ...declared }))
}

const put = ({ url, headers }: Upload, body: BodyInit) => fetch(url, { method: 'PUT', headers, body })

const downloadUrl = async ({ id }: { id: string }, host?: string) => (await by(host).files.getUrl({ id })).url

/** The scripts in a folder of their own, which has no `.dev.vars` yet. */
async function anotherMachine(): Promise<string> {
  const elsewhere = await mkdtemp(join(tmpdir(), 'another-machine-'))
  for (const name of ['scripts', 'src', 'package.json'])
    await cp(project + name, join(elsewhere, name), { recursive: true })
  await symlink(`${project}node_modules`, join(elsewhere, 'node_modules'))
  return elsewhere
}

describe('the development server', () => {
  it('takes content at the URL that it signed, and gives it back byte for byte, whole and in ranges', async () => {
    const content = randomBytes(5 * 1024 * 1024 + 7)
    const upload = await start({ size_bytes: content.length })
    expect((await put(upload, content)).status).toBe(200)
    await by().uploads.complete({ id: upload.id })

    const url = await downloadUrl(upload.file)
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect(whole.equals(content)).toBe(true)
    const range = await fetch(url, { headers: { Range: 'bytes=1048576-1048585' } })
    expect(range.status).toBe(206)
    expect(Buffer.from(await range.arrayBuffer()).equals(content.subarray(1048576, 1048586))).toBe(true)
  })

  it('signs for the host that the client uses', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const upload = await start({ size_bytes: 2 }, host)
      expect(new URL(upload.url).host).toBe(`${host}:${server.port}`)
      expect((await put(upload, 'hi')).status).toBe(200)
      await by(host).uploads.complete({ id: upload.id })
      expect(await (await fetch(await downloadUrl(upload.file, host))).text()).toBe('hi')
    }
  })

  it('takes exactly what was signed, once', async () => {
    const upload = await start({ size_bytes: 5, mime_type: 'text/plain' })
    expect(
      (await put({ ...upload, headers: { ...upload.headers, 'Content-Type': 'text/html' } }, 'hello')).status,
    ).toBe(403)
    const { 'Content-Length': _, ...headers } = upload.headers
    expect((await put({ ...upload, headers }, 'hello, world')).status).toBe(403)
    expect((await put({ ...upload, url: `${upload.url}0` }, 'hello')).status).toBe(403)
    expect((await put(upload, 'hello')).status).toBe(200)
    expect((await put(upload, 'again')).status).toBe(412)
  })

  it('lets a page on the developer’s machine send content: the bucket answers its preflight', async () => {
    const upload = await start({ size_bytes: 2 })
    const headers = {
      Origin: 'http://localhost:5173',
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'content-type,if-none-match,content-disposition',
    }
    const preflight = await fetch(upload.url, { method: 'OPTIONS', headers })
    expect([200, 204]).toContain(preflight.status)
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })

  it('lets nobody in with a token that another secret signed', async () => {
    const elsewhere = await anotherMachine()
    const { code, output } = await finished([join(elsewhere, 'scripts/token.ts'), 'ada'])
    await rm(elsewhere, { recursive: true })
    expect(code, output).toBe(0)
    const headers = { Authorization: `Bearer ${output.trim()}` }
    const answer = await fetch(`${server.url()}/v1/files`, { headers })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('WWW-Authenticate')).toContain('another key signed it')
  })

  it('serves nothing to who reaches it by a public name', async () => {
    const headers = { Host: 'game.example', Authorization: `Bearer ${token}` }
    const answer = await new Promise<IncomingMessage>((answered, failed) =>
      request(`${server.url()}/v1/files`, { headers }, answered).on('error', failed).end(),
    )
    expect(answer.statusCode).toBe(503)
    expect(await text(answer)).toContain('DEVELOPMENT is set')
  })

  it('goes on with a .dev.vars from before development was marked', async () => {
    const elsewhere = await anotherMachine()
    const file = join(elsewhere, '.dev.vars')
    await writeFile(
      file,
      `# Made by npm run dev for this machine\nJWT_SECRET=${'x'.repeat(40)}\nS3_ENDPOINT=local\n`,
    )
    const { code, output } = await finished([join(elsewhere, 'scripts/token.ts'), 'ada'])
    expect(code, output).toBe(0)
    expect(parseEnv(await readFile(file, 'utf8'))).toEqual({
      JWT_SECRET: `development-${'x'.repeat(40)}`,
      S3_ENDPOINT: 'local',
      DEVELOPMENT: 'on',
    })
    await rm(elsewhere, { recursive: true })
  })
})

describe('npm run token', () => {
  it('refuses to guess', async () => {
    const faults = [[], ['ada', 'bob'], ['ada', '--expires-in', 'soon'], ['ada', '--colour', 'red'], ['']]
    for (const args of [...faults, ['x'.repeat(129)]]) {
      const { code, output } = await finished(['scripts/token.ts', ...args])
      expect(code, output).toBe(2)
      expect(output).toContain('Usage: npm run --silent token -- USER')
    }
  })

  it('lists the scopes, each with what it allows, and refuses others with that list', async () => {
    const listed = await finished(['scripts/token.ts', '--scopes'])
    expect(listed.code, listed.output).toBe(0)
    for (const [scope, allows] of Object.entries(allowedByScope))
      expect(listed.output).toMatch(new RegExp(`^ *${scope} +${allows}$`, 'm'))
    const help = await finished(['scripts/token.ts', '--help'])
    expect(help.code, help.output).toBe(0)
    expect(help.output).toContain('Usage: npm run --silent token -- USER')
    expect(help.output).toContain(listed.output)
    const unknown = await finished(['scripts/token.ts', 'ada', '--scope', 'quota:write quota:wrote'])
    expect(unknown.code).toBe(2)
    expect(unknown.output).toContain('There is no scope "quota:wrote".')
    expect(unknown.output).toContain(listed.output)
  })

  it('makes tokens that expire when told', async () => {
    const { output } = await finished(['scripts/token.ts', 'ada', '--expires-in=-1'])
    const headers = { Authorization: `Bearer ${output.trim()}` }
    expect((await fetch(`${server.url()}/v1/files`, { headers })).status).toBe(401)
  })
})

describe('npm run job', () => {
  it('runs the scheduled job on the server, and says so when there is none', async () => {
    const ran = await finished(['scripts/job.ts', '--port', String(server.port)])
    expect(ran.code, ran.output).toBe(0)
    expect(ran.output).toContain('The job ran')
    const none = await finished(['scripts/job.ts', '--port', '1'])
    expect(none.code).toBe(1)
    expect(none.output).toContain('npm run dev')
  })
})
