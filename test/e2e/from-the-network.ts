import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { BUCKET } from '../../scripts/dev/admission.ts'
import { listening } from './listening.ts'
import type { Server } from './server.ts'

/** The path of wrangler's API with SQL on the databases, the shortest of what it answers. */
export const SQL = '/cdn-cgi/local/explorer/api/d1/database'
const LOCAL = 'localhost'
const PHONE = '192.168.7.20'

/** Bytes that reach for `SQL` from another machine, as the lines of their head. */
export const attacks: Record<string, string[]> = {
  'the path itself': [`GET ${SQL} HTTP/1.1`, `Host: ${LOCAL}`],
  'the path from before': ['GET /cdn-cgi/explorer/api/d1/database HTTP/1.1', `Host: ${LOCAL}`],
  'dot segments behind the bucket': [
    `GET ${BUCKET}/../../explorer/api/d1/database HTTP/1.1`,
    `Host: ${PHONE}`,
  ],
  'dot segments in percent-encoding': [
    `GET ${BUCKET}/%2e%2E/.%2e/explorer/api/d1/database HTTP/1.1`,
    `Host: ${PHONE}`,
  ],
  'dot segments behind the API': [`GET /v1/..${SQL} HTTP/1.1`, `Host: ${LOCAL}`],
  'one dot': [`GET /.${SQL} HTTP/1.1`, `Host: ${LOCAL}`],
  backslashes: [`GET ${SQL.replaceAll('/', '\\').replace('\\', '/')} HTTP/1.1`, `Host: ${LOCAL}`],
  'a backslash at the start': [`GET \\${SQL.slice(1)} HTTP/1.1`, `Host: ${LOCAL}`],
  'a double slash': [`GET /${SQL} HTTP/1.1`, `Host: ${LOCAL}`],
  'a name behind a double slash': [`GET //${LOCAL}${SQL} HTTP/1.1`, `Host: ${LOCAL}`],
  'a tab': [`GET ${SQL.replace('/local', '\t/local')} HTTP/1.1`, `Host: ${LOCAL}`],
  'an absolute target': [`GET http://${LOCAL}${SQL} HTTP/1.1`, `Host: ${LOCAL}`],
  'an absolute target of another scheme': [`GET HTTPS://${LOCAL}${SQL} HTTP/1.1`, `Host: ${LOCAL}`],
  'a fragment': [`GET /v1#/..${SQL} HTTP/1.1`, `Host: ${LOCAL}`],
  'a Host with a path': ['GET /health HTTP/1.1', `Host: ${LOCAL}${SQL}?`],
  'a Host with a path and a fragment': ['GET /health HTTP/1.1', `Host: ${LOCAL}${SQL}#`],
  'a Host with backslashes': ['GET /health HTTP/1.1', `Host: ${LOCAL}${SQL.replaceAll('/', '\\')}?`],
  'a second Host': ['GET /health HTTP/1.1', `Host: ${LOCAL}`, `Host: ${LOCAL}${SQL}?`],
  'no Host': [`GET /v1/..${SQL} HTTP/1.0`],
  'a header of wrangler’s': [
    'GET /health HTTP/1.1',
    `Host: ${LOCAL}`,
    `MF-Original-URL: http://${LOCAL}${SQL}`,
  ],
  'a WebSocket to a Host with a path': [
    'GET /v1/notifications/ws HTTP/1.1',
    `Host: ${LOCAL}${SQL}?`,
    'Upgrade: websocket',
    'Connection: Upgrade',
  ],
  'a WebSocket by dot segments': [
    `GET ${BUCKET}/../../explorer/api/d1/database HTTP/1.1`,
    `Host: ${LOCAL}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
  ],
  'a WebSocket by a header of wrangler’s': [
    'GET /v1/notifications/ws HTTP/1.1',
    `Host: ${LOCAL}`,
    `MF-Original-URL: http://${LOCAL}${SQL}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
  ],
  'an upgrade to something else': [
    'POST /v1/files HTTP/1.1',
    `Host: ${LOCAL}`,
    'Upgrade: h2c',
    'Connection: Upgrade',
    'Content-Length: 0',
  ],
  'OPTIONS of everything': ['OPTIONS * HTTP/1.1', `Host: ${LOCAL}`],
  'two lengths of the body': [
    'POST /v1/files HTTP/1.1',
    `Host: ${LOCAL}`,
    'Content-Length: 4',
    'Transfer-Encoding: chunked',
  ],
}

/** This machine's address in a network: what comes from it is no loopback. */
export const address = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** All that a server answers to heads that are sent at once on one connection, until it ends the connection. */
async function answersOf(port: number, host: string | undefined, heads: string[][]): Promise<string> {
  const socket = connect(port, host)
  await once(socket, 'connect')
  socket.write(Buffer.from(heads.map((lines) => `${lines.join('\r\n')}\r\n\r\n`).join(''), 'latin1'))
  return text(socket)
}

const statusesOf = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** Requires that an attack from another machine is refused. */
export async function requireRefused(server: Server, lines: string[]): Promise<void> {
  const closing = lines.some((line) => line.startsWith('Connection')) ? [] : ['Connection: close']
  const answer = await answersOf(server.port, address, [[...lines, ...closing]])
  expect(answer).not.toContain('"result"')
  expect(statusesOf(answer)).toEqual([expect.toSatisfy((status) => status === 400 || status === 403)])
}

/** The other tests of what other machines of the network reach of a development server that listens to them, which runs by then. */
export function testsFromTheNetwork(server: () => Server): void {
  const answersTo = (host: string | undefined, ...heads: string[][]) => answersOf(server().port, host, heads)

  describe('wrangler’s SQL on the databases', () => {
    it('is there for this machine, which the tests below would see', async () => {
      const answer = await answersTo('127.0.0.1', [
        `GET ${SQL} HTTP/1.1`,
        `Host: ${LOCAL}`,
        'Connection: close',
      ])
      expect(statusesOf(answer)).toEqual([200])
      expect(answer).toContain('"result"')
    })

    it.skipIf(!address)('is not reached by a tunnel: CONNECT has no answer', async () => {
      const request = [`GET ${SQL} HTTP/1.1`, `Host: ${LOCAL}`, 'Connection: close']
      const answer = await answersTo(address, [`CONNECT ${LOCAL}:80 HTTP/1.1`, `Host: ${LOCAL}`], request)
      expect(answer).toBe('')
    })

    it.skipIf(!address)(
      'is not reached behind another request, nor behind a WebSocket that was refused',
      async () => {
        const request = [`GET ${SQL} HTTP/1.1`, `Host: ${LOCAL}`, 'Connection: close']
        const first = ['GET /healthz HTTP/1.1', `Host: ${LOCAL}`]
        expect(statusesOf(await answersTo(address, first, request))).toEqual([200, 403])
        for (const path of ['/healthz', '/v1/notifications/ws', BUCKET]) {
          const upgrade = [
            `GET ${path} HTTP/1.1`,
            `Host: ${LOCAL}`,
            'Upgrade: websocket',
            'Connection: Upgrade',
          ]
          const answer = await answersTo(address, upgrade, request)
          expect(statusesOf(answer), path).toHaveLength(1)
          expect(answer, path).not.toContain('"result"')
        }
      },
    )
  })

  describe('the ports of the development server', () => {
    it.skipIf(process.platform !== 'linux')(
      'are open to this machine alone, the debugger’s too, except the one that was asked for',
      async () => {
        const ports = await listening(server().pids())
        expect(ports.length).toBeGreaterThan(2)
        const open = ports.filter(({ isLoopback }) => !isLoopback)
        expect(open.map(({ port }) => port)).toEqual([server().port])
      },
    )
  })
}
