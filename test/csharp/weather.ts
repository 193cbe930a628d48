import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'

/**
 * What happens to a request. Content is cut half-way. `too many` and `busy` are answered for the service, and `portal` by the page
 * of a network that asks for a login.
 */
export const FAULTS = [
  'request cut',
  'answer lost',
  'answer cut',
  'too many',
  'busy',
  'busy, too late',
  'portal',
] as const
export type Fault = (typeof FAULTS)[number] | 'too many for a second' | 'busy for a second'

/** A request that a client has sent. */
export interface Sent {
  /** Method and path, without ids. */
  request: string
  hasKey: boolean
  fault: Fault | undefined
  /** Of `performance.now()`. */
  at_ms: number
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A network between a client and the service that fails request by request: clients that send the same meet the same. */
export class Weather {
  /** The address that a client uses in place of the service's. */
  readonly origin: string
  readonly sent: Sent[] = []
  readonly #server: Server
  readonly #agent = new Agent({ keepAlive: true })

  private constructor(server: Server, port: number) {
    this.#server = server
    this.origin = `http://localhost:${port}`
  }

  /** Opens a network to the service at `origin`. `next` says what happens to the next request. */
  static async over(origin: string, next: () => Fault | undefined): Promise<Weather> {
    const server = createServer().listen(0, 'localhost')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('The weather has no port.')
    const weather = new Weather(server, address.port)
    server.on('request', (incoming, response) => {
      // A client that is gone hears nothing.
      weather.#carry(origin, next(), incoming, response).catch(() => response.destroy())
    })
    return weather
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #carry(
    origin: string,
    fault: Fault | undefined,
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { method = '', url = '', headers } = incoming
    // On a connection that it has used before, .NET sends a DELETE again by itself: here the client is to repeat it.
    response.shouldKeepAlive = false
    const hasKey = headers['idempotency-key'] !== undefined
    this.sent.push({ request: `${method} ${withoutIds(url)}`, hasKey, fault, at_ms: performance.now() })
    if (fault === 'request cut') {
      if (Number(headers['content-length']) > 0) await once(incoming, 'data')
      incoming.socket.resetAndDestroy()
      return
    }
    const body = await buffer(incoming)
    if (fault?.startsWith('too many'))
      return reply(response, problem('RATE_LIMITED', 429, fault === 'too many' ? 0 : 1))
    if (fault === 'busy' || fault === 'busy for a second')
      return reply(response, problem('UNAVAILABLE', 503, fault === 'busy' ? 0 : 1))
    if (fault === 'portal') return reply(response, PORTAL)
    const answer = await this.#ask(origin, incoming, body)
    if (fault === 'busy, too late') return reply(response, problem('UNAVAILABLE', 503))
    if (fault === 'answer lost') incoming.socket.resetAndDestroy()
    else if (fault === 'answer cut') {
      response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length + 1 })
      response.write(answer.body, () => incoming.socket.resetAndDestroy())
    } else reply(response, answer)
  }

  async #ask(origin: string, { method, url = '', headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    const asked = request(new URL(url, origin), { method, agent: this.#agent, headers }).end(body)
    const [answer]: IncomingMessage[] = await once(asked, 'response')
    if (!answer) throw new Error('There is no answer.')
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) }
  }
}

function reply(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body)
}

const PORTAL: Answer = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>Log in to this network</h1>'),
}

/** An answer of the service to wait. */
function problem(code: string, status: number, wait_s = 0): Answer {
  const type = `urn:problem:${code}`
  const text = JSON.stringify({ type, title: code, status, detail: 'Wait.', code, request_id: 'weather' })
  const headers = {
    'content-type': 'application/problem+json',
    'retry-after': String(wait_s),
    'x-request-id': 'weather',
  }
  return { status, headers, body: Buffer.from(text) }
}

const withoutIds = (url: string) =>
  url.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '…').replace(/cursor=[^&]+/, 'cursor=…')
