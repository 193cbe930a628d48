/** How the black-box tests reach a service at a URL, and what they have made there. */
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { TestRunner } from 'vitest'
import { z } from 'zod'

/** The origin of the service. */
export const service = new URL(process.env.ACCEPTANCE_URL ?? 'http://localhost:8787').origin

/** What a run may do there: `smoke`, `core` or `full` (scripts/acceptance.ts). */
export const profile = process.env.ACCEPTANCE_PROFILE ?? 'core'

const Named = z.looseObject({ id: z.string() }).nullish()
/** What answers name: an array names nothing that was made. */
const Answer = z.union([
  z.looseObject({ file: Named, asset: Named }),
  z.array(z.unknown()).transform(() => ({ file: undefined, asset: undefined })),
])

/** Something that a test has made: the request that removes it. */
export interface Made {
  path: string
  Authorization: string
}

/** What this file's tests have made, the newest last. */
export const made: Made[] = []

/** Skips the test, with the reason. */
export function skip(reason: string): never {
  const test = TestRunner.getCurrentTest()
  if (!test) throw new Error(`A hook can't run against a URL: ${reason}`)
  return test.context.skip(reason)
}

/** Sends a request of the tests, which name an origin of their own, to the service. */
export async function reach(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  if (request.method === 'POST' && pathname === '/v1/announcements')
    skip('it would go to all users of the service')
  const url = service + pathname + search
  if (request.headers.has('Upgrade')) return openSocket(url, request)
  const { method, headers, body } = request
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body && { body, duplex: 'half' }),
  })
  await note(request, answer.clone())
  return answer
}

async function note({ method, headers }: Request, answer: Response): Promise<void> {
  const Authorization = headers.get('Authorization')
  if (
    !Authorization ||
    method !== 'POST' ||
    !answer.headers.get('Content-Type')?.startsWith('application/json')
  )
    return
  const location = answer.headers.get('Location')
  const { file, asset } = Answer.parse(await answer.json())
  const paths = [location, file?.id && `/v1/files/${file.id}`, asset?.id && `/v1/game/assets/${asset.id}`]
  for (const path of paths)
    if (path && !made.some((one) => one.path === path)) made.push({ path, Authorization })
}

/** Opens a socket with the headers of a request. A refusal is the answer to the same request. */
async function openSocket(url: string, { headers }: Request): Promise<Response> {
  const protocols =
    headers
      .get('Sec-WebSocket-Protocol')
      ?.split(',')
      .map((name) => name.trim()) ?? []
  const others = [...headers].filter(([name]) => !['upgrade', 'sec-websocket-protocol'].includes(name))
  // The constructor here takes headers, which the type that browsers have lacks.
  const options = { protocols, headers: Object.fromEntries(others) }
  const socket: WebSocket = Reflect.construct(WebSocket, [url.replace(/^http/, 'ws'), options])
  const isOpen = await new Promise<boolean>((settle) => {
    socket.onopen = () => settle(true)
    socket.onerror = () => settle(false)
  })
  if (!isOpen) return refusal(url, Object.fromEntries(headers))
  return Object.defineProperties(new Response(null), {
    status: { value: 101 },
    headers: { value: new Headers(socket.protocol ? { 'Sec-WebSocket-Protocol': socket.protocol } : {}) },
    webSocket: { value: Object.assign(socket, { accept: () => {} }) },
  })
}

/** The headers of a handshake (RFC 6455, section 4.1). */
const handshake = {
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

function refusal(url: string, headers: Record<string, string>): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const request = url.startsWith('https:') ? secureRequest : plainRequest
  request(url, { headers: { ...headers, ...handshake } }, (answer) => {
    const pieces: Buffer[] = []
    answer.on('data', (piece) => pieces.push(piece))
    answer.on('end', () => {
      const named = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      )
      resolve(new Response(Buffer.concat(pieces), { status: answer.statusCode ?? 500, headers: named }))
    })
  })
    .on('upgrade', () => reject(new Error('it was refused, and now it opens')))
    .on('error', reject)
    .end()
  return promise
}
