import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '#client'

/** What has arrived where the service redirects to, on another origin. */
const arrived: IncomingHttpHeaders[] = []
const elsewhere = createServer((request, response) => {
  arrived.push(request.headers)
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
})
let location = ''
const service = createServer((_, response) => response.writeHead(307, { Location: location }).end())

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

let baseUrl = ''
beforeAll(async () => {
  location = await listen(elsewhere)
  baseUrl = await listen(service)
})
afterAll(() => {
  service.close()
  elsewhere.close()
})

it('follows no redirect with a user’s requests, in Node', async () => {
  const client = createClient({ baseUrl, token: 'a', retry: { attempts: 1 } })
  const told = { name: 'NetworkError', message: expect.stringContaining(`redirect to ${location}`) }
  await expect(client.quota.get()).rejects.toMatchObject(told)
  await expect(client.files.createFolder({ name: 'a' })).rejects.toMatchObject(told)
  await expect(client.files.delete({ id: 'a' })).rejects.toMatchObject(told)
  expect(arrived).toEqual([])
})

it('names an address at which nobody listens', async () => {
  const gone = createServer()
  const address = await listen(gone)
  gone.close()
  await once(gone, 'close')
  const client = createClient({ baseUrl: address, token: 'a', retry: { attempts: 1 } })
  await expect(client.quota.get()).rejects.toMatchObject({
    name: 'NetworkError',
    message: expect.stringContaining(`No answer from ${address}.`),
    cause: { cause: { code: 'ECONNREFUSED' } },
  })
})
