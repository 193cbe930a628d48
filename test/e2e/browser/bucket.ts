import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect as dial } from 'node:net'
import type { Duplex } from 'node:stream'
import { z } from '@hono/zod-openapi'
import { project } from '../citations.ts'

const Rules = z.object({
  rules: z.tuple([
    z.object({
      allowed: z.object({
        origins: z.array(z.string()),
        methods: z.array(z.string()),
        headers: z.array(z.string()),
      }),
      exposeHeaders: z.array(z.string()),
    }),
  ]),
})

type Allowance = z.output<typeof Rules>['rules'][0]

/** The CORS rules that docs/deploying.md tells to give the bucket. */
function documentedRules(): Allowance {
  const page = readFileSync(`${project}docs/deploying.md`, 'utf8')
  const [, json = ''] = page.match(/^```json\n(\{\n {2}"rules".*?)^```$/ms) ?? []
  return Rules.parse(JSON.parse(json)).rules[0]
}

/**
 * Stands between a browser and the development server, and answers for the bucket as R2 does that has the documented CORS
 * rules. The simulator by itself allows everything to every page.
 */
export class BucketWithRules {
  /** The address of service and bucket. */
  readonly origin: string
  readonly #server: Server

  private constructor(server: Server, port: number) {
    this.#server = server
    this.origin = `http://localhost:${port}`
  }

  /** Forwards to the server on `port`. The rules allow `pages`, in place of the origins that the guide has as examples. */
  static async before(port: number, pages: string[]): Promise<BucketWithRules> {
    const rules = documentedRules()
    const server = createServer((request, response) => {
      const isBucket = request.url?.startsWith('/cdn-cgi/')
      const granted = isBucket ? grantedTo(request, pages, rules) : undefined
      if (isBucket && request.method === 'OPTIONS') response.writeHead(granted ? 204 : 403, granted).end()
      else pass(request, response, port, isBucket ? { ...granted } : undefined)
    })
    server.on('upgrade', (request, near) => passSocket(request, near, port))
    server.listen(0, 'localhost')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('The bucket has no port.')
    return new BucketWithRules(server, address.port)
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

/** The headers that let a page send the request, or read its answer; undefined when the rules forbid it. */
function grantedTo({ headers, method }: IncomingMessage, pages: string[], rules: Allowance) {
  const { origin = '' } = headers
  const asked = String(headers['access-control-request-headers'] ?? '')
  const wanted = asked.split(',').filter((name) => name !== '')
  const sent = method === 'OPTIONS' ? headers['access-control-request-method'] : method
  const { methods, headers: allowed } = rules.allowed
  if (!pages.includes(origin) || !methods.includes(sent ?? '')) return undefined
  if (wanted.some((name) => !allowed.includes(name.trim().toLowerCase()))) return undefined
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': wanted.join(', '),
    'access-control-expose-headers': rules.exposeHeaders.join(', '),
  }
}

/** Forwards a request, and its answer; `granted` takes the place of the CORS headers that the answer has. */
function pass(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  granted: Record<string, string> | undefined,
): void {
  const { method, url: path } = request
  // Storage serves objects as they are stored. The development server compresses them for a browser, which then takes a
  // range of them out of the compressed content in its cache, and fails to read it.
  const headers = granted ? { ...request.headers, 'accept-encoding': 'identity' } : request.headers
  const onward = forward({ host: 'localhost', port, method, headers, path }, (answer) => {
    const own = Object.entries(answer.headers).filter(
      ([name]) => !granted || !name.startsWith('access-control-'),
    )
    response.writeHead(answer.statusCode ?? 502, { ...Object.fromEntries(own), ...granted })
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}

function passSocket({ method, url, rawHeaders }: IncomingMessage, near: Duplex, port: number): void {
  const far = dial(port, 'localhost')
  const head = rawHeaders.flatMap((name, index) => (index % 2 ? [] : [`${name}: ${rawHeaders[index + 1]}`]))
  far.write(`${method} ${url} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}
