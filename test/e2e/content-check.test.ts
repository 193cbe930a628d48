/** @module-tag release */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, ServiceError } from '#client'
import { developmentToken } from '../../scripts/development.ts'
import { project } from './citations.ts'
import { blocksOf } from './guides.ts'
import { Server } from './server.ts'

const CONTENT_CHECK_SECRET = `whsec_${btoa('a secret of the tests, of 32 byte')}`
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE!$H+H*'].join('')

let server: Server
let http: HttpServer
let checker: { fetch: (request: Request, env: unknown) => Promise<Response> }
/** How the checker has answered. */
const answers: number[] = []

beforeAll(async () => {
  const folder = join(project, '.wrangler/guides') // inside the project, where the libraries are known
  const path = join(folder, `content-checker-${process.pid}.mjs`)
  await mkdir(folder, { recursive: true })
  const [program = ''] = blocksOf('content-check.md', 'js')
  await writeFile(path, program)
  checker = (await import(pathToFileURL(path).href)).default
  await rm(path)
  const token = await developmentToken('checker', { scope: 'content:check' })
  http = createServer(async (incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const request = new Request('http://localhost/', {
      method: incoming.method ?? 'GET',
      headers,
      body: new Uint8Array(await buffer(incoming)),
    })
    const env = { CONTENT_CHECK_SECRET, STORAGE: server.url(), TOKEN: token }
    const { status } = await checker.fetch(request, env)
    answers.push(status)
    outgoing.writeHead(status).end()
  }).listen(0, 'localhost')
  await new Promise((resolve) => http.once('listening', resolve))
  const { port } = http.address() as AddressInfo
  server = await Server.start({
    CONTENT_CHECK_URL: `http://localhost:${port}/check`,
    CONTENT_CHECK_SECRET,
    CONTENT_CHECK_KINDS: 'file,world',
  })
})
afterAll(async () => {
  http.close()
  await server.stop()
})

it('the checker of the guide lets content be ready, and rejects the EICAR test file', async () => {
  const client = createClient({ baseUrl: server.url(), token: await developmentToken('ada') })
  const file = await client.files.upload({ content: new TextEncoder().encode('harmless'), name: 'notes.txt' })
  expect(file.processing_state).toBe('ready')
  const { url } = await client.files.getUrl({ id: file.id })
  expect(await (await fetch(url)).text()).toBe('harmless')

  const rejected = await client.files
    .upload({ content: new TextEncoder().encode(EICAR), name: 'eicar.com' })
    .catch((error) => error)
  expect(rejected).toBeInstanceOf(ServiceError)
  expect(rejected).toMatchObject({ code: 'UPLOAD_REJECTED', detail: expect.stringContaining('EICAR') })
  const { files } = await client.files.list().page()
  expect(files.map(({ name, processing_state }) => [name, processing_state])).toEqual(
    expect.arrayContaining([
      ['eicar.com', 'failed'],
      ['notes.txt', 'ready'],
    ]),
  )
  const bad = { name: 'trap', asset_type: 'world' as const }
  await expect(
    client.assets.upload({ content: new TextEncoder().encode(`x${EICAR}`), ...bad }),
  ).rejects.toMatchObject({
    code: 'UPLOAD_REJECTED',
  })
  expect((await client.assets.list().page()).assets).toEqual([])
  expect((await client.quota.get()).used_bytes).toBe('harmless'.length)
  expect(answers).toEqual([204, 204, 204])
})

it('the checker of the guide takes nothing that this service has not signed', async () => {
  const request = new Request('http://localhost/', { method: 'POST', body: '{}' })
  const response = await checker.fetch(request, { CONTENT_CHECK_SECRET })
  expect(response.status).toBe(401)
})
