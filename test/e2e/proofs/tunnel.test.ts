import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Tunnel } from './tunnel.ts'

let asked: string[]
let server: Server
let tunnel: Tunnel

beforeEach(async () => {
  asked = []
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    let size = 0
    request.on('error', () => {})
    request.on('data', (chunk) => {
      size += chunk.length
    })
    request.on('end', () => response.end(String(size)))
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  tunnel = await Tunnel.to(`http://localhost:${typeof address === 'object' ? address?.port : ''}`)
})
afterEach(async () => {
  await tunnel.close()
  server.close()
})

const put = (path: string, size: number) =>
  fetch(tunnel.origin + path, { method: 'PUT', body: Buffer.alloc(size) }).then(
    (response) => response.text(),
    () => 'lost',
  )

it('carries requests whole while it is not cut', async () => {
  expect(await put('/v1/a', 3_000_000)).toBe('3000000')
})

it('cuts content after as many bytes, and carries the next request', async () => {
  const cut = tunnel.cutAt({ traffic: 'bucket', direction: 'up', bytes: 1_000_000 })
  expect(await put('/v1/a', 2_000_000)).toBe('2000000')
  expect(await put('/cdn-cgi/a', 2_000_000)).toBe('lost')
  expect(await cut).toBe('PUT /cdn-cgi/a HTTP/1.1')
  expect(await put('/cdn-cgi/a', 2_000_000)).toBe('2000000')
})

it('waits for a request of one kind, and only tells when it is not to cut', async () => {
  const met: string[] = []
  const moment = { traffic: 'service', direction: 'down', bytes: 1 } as const
  tunnel.cutAt({ ...moment, request: /^PUT .*complete/ }).then((request) => met.push(request))
  tunnel.reach({ ...moment, request: /^PUT .*parts/ }).then((request) => met.push(request))
  expect(await put('/v1/a/parts', 1)).toBe('1')
  expect(await put('/v1/a/complete', 1)).toBe('lost')
  expect(met).toEqual(['PUT /v1/a/parts HTTP/1.1', 'PUT /v1/a/complete HTTP/1.1'])
  expect(tunnel.requests).toEqual(met)
})

it('loses the answer to a request that the server has done', async () => {
  const cut = tunnel.cutAt({ traffic: 'service', direction: 'down', bytes: 1 })
  expect(await put('/v1/b', 10)).toBe('lost')
  await cut
  expect(asked).toEqual(['/v1/b'])
})

it('refuses connections while it is down', async () => {
  tunnel.takeDown()
  expect(await put('/v1/c', 10)).toBe('lost')
  expect(asked).toEqual([])
  tunnel.restore()
  expect(await put('/v1/c', 10)).toBe('10')
})

it('refuses as many connections as it is told', async () => {
  tunnel.refuse(2)
  expect([await put('/v1/a', 1), await put('/v1/a', 1), await put('/v1/a', 1)]).toEqual(['lost', 'lost', '1'])
})

it('holds content up, and nothing else, until it is released', async () => {
  const held = tunnel.holdAt({ traffic: 'bucket', direction: 'up', bytes: 100_000 })
  const content = put('/cdn-cgi/a', 2_000_000)
  await held
  expect(await put('/v1/a', 10)).toBe('10')
  expect(await Promise.race([content, put('/v1/a', 20)])).toBe('20')
  tunnel.release()
  expect(await content).toBe('2000000')
})

it('carries nothing on a dead connection, and carries what comes on a new one', async () => {
  const first = connect(Number(new URL(tunnel.origin).port), 'localhost')
  await once(first, 'connect')
  await expect.poll(() => tunnel.deaden()).toBe(1)
  first.write('GET /v1/d HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(await put('/v1/e', 10)).toBe('10')
  expect(asked).toEqual(['/v1/e'])
  first.destroy()
})
