/** Checks of the path between a client and the Worker: pages, headers, tokens, and the zone's settings. */
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { Check } from './check.ts'
import { bytes, type Deployment, read, tally } from './deployment.ts'
import { must } from './given.ts'

/** Sends a request with exactly these headers (fetch would add a User-Agent). Returns the status and type of the answer. */
function bare(url: string, headers: Record<string, string>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const request = url.startsWith('https:') ? secureRequest : plainRequest
  request(url, { headers }, (answer) => {
    answer.resume()
    answer.on('end', () => resolve(`${answer.statusCode} ${answer.headers['content-type']}`))
  })
    .on('error', reject)
    .end()
  return promise
}

/** A token with another payload and the same signature. */
function tampered(token: string): string {
  const [head, , signature] = token.split('.')
  return `${head}.${Buffer.from('{"sub":"somebody","exp":9999999999}').toString('base64url')}.${signature}`
}

const unsigned = () =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"somebody","exp":9999999999}').toString('base64url')}.`

const asks = async (deployment: Deployment, token: string) =>
  (await deployment.ask('/v1/quota', { headers: { Authorization: `Bearer ${token}` } })).status

export const edge: Check[] = [
  {
    name: 'health',
    does: 'GET /health, /readyz and /healthz',
    must: '200 each time',
    run: async ({ origin }) => {
      const answers = await Promise.all(
        ['/health', '/readyz', '/healthz'].map(async (path) => read(await fetch(origin + path))),
      )
      return must(
        answers.every(({ status }) => status === 200),
        answers.map(({ status, text }) => `${status} ${text}`).join('; '),
      )
    },
  },
  {
    name: 'descriptions',
    does: 'GET /openapi.json, /openapi.operators.json and /asyncapi.json',
    must: '200 with no-store, and the operators’ own title',
    run: async ({ origin }) => {
      const paths = ['/openapi.json', '/openapi.operators.json', '/asyncapi.json']
      const answers = await Promise.all(paths.map(async (path) => read(await fetch(origin + path))))
      const told = answers.map(({ status, headers }) => `${status} ${headers.get('Cache-Control')}`)
      const isOperators = answers.some(({ text }) => text.includes('Edge game storage for operators'))
      return must(isOperators && told.every((one) => /^200 .*no-store/.test(one)), told.join('; '))
    },
  },
  {
    name: 'malformed-path',
    does: 'GET /v1/files/%E0%A4%A with a token and without, and /guides/%FF',
    must: '400 and 401 as problems of the service, not pages of the edge; the guide 400 or 404',
    run: async (deployment) => {
      const path = '/v1/files/%E0%A4%A'
      const known = await deployment.ask(path)
      const unknown = await read(await fetch(deployment.origin + path))
      const guide = await read(await fetch(`${deployment.origin}/guides/%FF`))
      const told = [known, unknown, guide].map(
        ({ status, headers }) => `${status} ${headers.get('Content-Type')?.split(';')[0]}`,
      )
      const problem = 'application/problem+json'
      const isOurs = told[0] === `400 ${problem}` && told[1] === `401 ${problem}`
      return must(isOurs && [400, 404].includes(guide.status), told.join('; '))
    },
  },
  {
    name: 'pages',
    does: 'the first page, the reference and the guides',
    must: '200 with HTML; the first page offers no token',
    run: async ({ origin, isLocal }) => {
      const pages = await Promise.all(
        ['/', '/docs/', '/guides/'].map(async (path) => read(await fetch(origin + path))),
      )
      const [first] = pages
      const token = await fetch(`${origin}/development/token`, { method: 'POST', body: '{}' })
      await token.arrayBuffer()
      const came = `${tally(pages)}; /development/token ${token.status}`
      const isHtml = pages.every(
        ({ status, headers }) => status === 200 && /html/.test(headers.get('Content-Type') ?? ''),
      )
      return must(isHtml && first !== undefined && (isLocal || token.status === 404), came)
    },
  },
  {
    name: 'native-clients',
    does: 'requests with the User-Agent of a game, of curl, of Go, and without one',
    must: '200 with JSON each time. HTML with 403 (error 1010) is the zone’s Browser Integrity Check or a bot mode: turn them off',
    onPlatform: 'what the zone does before the Worker is asked',
    run: async ({ origin }) => {
      const agents = ['my-game/1.0', 'curl/8.5.0', 'Go-http-client/2.0', undefined]
      const came = await Promise.all(
        agents.map((agent) => bare(`${origin}/readyz`, agent === undefined ? {} : { 'User-Agent': agent })),
      )
      return must(
        came.every((one) => one.startsWith('200 application/json')),
        came.join('; '),
      )
    },
  },
  {
    name: 'etag',
    does: 'a file’s record with Accept-Encoding: br, gzip',
    must: 'the ETag is strong, as in "1". With W/ before it If-Match works all the same',
    onPlatform: 'whether the platform compresses the answer',
    run: async (deployment) => {
      const id = await deployment.file(bytes(100))
      const { headers } = await deployment.need(200, `/v1/files/${id}`, {
        headers: { 'Accept-Encoding': 'br, gzip' },
      })
      const etag = headers.get('ETag') ?? 'none'
      return must(/^"\d+"$/.test(etag), etag)
    },
  },
  {
    name: 'bookmark',
    does: 'a write, then a read with its X-D1-Bookmark',
    must: 'a bookmark, and 200 with what was written',
    onPlatform: 'that it arrives from the real D1, and read replication',
    run: async (deployment) => {
      const body = JSON.stringify({ name: `staging-${crypto.randomUUID()}`, asset_type: 'folder' })
      const made = await deployment.need(201, '/v1/files', { method: 'POST', body })
      const { id } = JSON.parse(made.text)
      deployment.later(async () => {
        await deployment.ask(`/v1/files/${id}`, { method: 'DELETE' })
        await deployment.ask(`/v1/trash/${id}`, { method: 'DELETE' })
      })
      const bookmark = made.headers.get('X-D1-Bookmark') ?? ''
      const back = await deployment.ask(`/v1/files/${id}`, { headers: { 'X-D1-Bookmark': bookmark } })
      return must(bookmark !== '' && back.status === 200, `${bookmark || 'no bookmark'}; ${back.status}`)
    },
  },
  {
    name: 'tokens',
    does: 'a tampered token, one without a signature, none',
    must: '401 each time',
    run: async (deployment) => {
      const none = await read(await fetch(`${deployment.origin}/v1/quota`))
      const came = [
        await asks(deployment, tampered(deployment.user.token)),
        await asks(deployment, unsigned()),
        none.status,
      ]
      return must(
        came.every((status) => status === 401),
        came.join(', '),
      )
    },
  },
  {
    name: 'expired-token',
    does: 'a token that has expired',
    must: '401',
    needs: ['STAGING_EXPIRED_TOKEN'],
    run: async (deployment) => {
      // The development server's token expires within seconds.
      const end = Date.now() + (deployment.isLocal ? 10_000 : 0)
      for (;;) {
        const status = await asks(deployment, deployment.given('STAGING_EXPIRED_TOKEN'))
        if (status === 401 || Date.now() > end) return must(status === 401, String(status))
        await pause(200)
      }
    },
  },
  {
    name: 'foreign-token',
    does: 'a token of the login for another audience',
    must: '401',
    notHere: 'the development server checks no audience',
    needs: ['STAGING_FOREIGN_TOKEN'],
    run: async (deployment) => {
      const status = await asks(deployment, deployment.given('STAGING_FOREIGN_TOKEN'))
      return must(status === 401, String(status))
    },
  },
  {
    name: 'rate-limit',
    does: '700 requests of one user within a minute. That user is refused for a minute afterwards',
    must: 'some 429 RATE_LIMITED with Retry-After: 60. The platform counts in each location, so a few more than 600 may pass',
    notHere: 'the development server has no rate limits',
    takes: 'a minute, in which the other test user is refused',
    run: async (deployment) => {
      const init = { headers: { Authorization: `Bearer ${deployment.other.token}` } }
      const answers: Awaited<ReturnType<Deployment['ask']>>[] = []
      for (let round = 0; round < 14; round++)
        answers.push(
          ...(await Promise.all(Array.from({ length: 50 }, () => deployment.ask('/v1/quota', init)))),
        )
      const late = answers.filter(({ status }) => status === 429)
      const waits = new Set(late.map(({ headers }) => headers.get('Retry-After')))
      return must(
        late.length > 0 && [...waits].join() === '60',
        `${tally(answers)}; Retry-After ${[...waits].join()}`,
      )
    },
  },
]
