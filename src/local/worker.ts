import { description } from '../describe.ts'
import worker from '../index.ts'
import { configuration } from '../platform/config/configuration.ts'
import type { Env } from '../platform/config/env.ts'
import { ignoredIn } from './ignored.ts'
import { local } from './routes.ts'

/** @public The classes that wrangler.toml names. */
export { Inbox, Janitor, NotificationPublisher, Saves } from '../index.ts'

/** Logs a line with the parameters and members that the service ignores in a request. */
async function reportIgnored(request: Request): Promise<void> {
  const report = await ignoredIn(await description(), request)
  if (report !== undefined) console.log(report)
}

/** The path of the development server's bucket. */
const BUCKET = '/cdn-cgi/local/r2/s3/'

/**
 * Rewrites the signed URLs in a response to the host of the request. They are signed for localhost, because the local
 * bucket answers to no other name. `npm run dev -- --ip 0.0.0.0` forwards requests to it under that name
 * (scripts/dev/network.ts).
 */
async function withUrlsAt(origin: string, env: Env, response: Response): Promise<Response> {
  const { config } = configuration(env)
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
  if (!isJson || !config?.S3_ENDPOINT.startsWith('http://localhost:')) return response
  const text = await response.text()
  const signed = new URL(config.S3_ENDPOINT).origin + BUCKET
  return new Response(text.replaceAll(signed, origin + BUCKET), response)
}

/** Says in an answer of /health that this server makes tokens, to the pages that offer them. */
async function withTokens(response: Response): Promise<Response> {
  return response.ok
    ? Response.json({ ...(await response.json<object>()), makes_tokens: true }, response)
    : response
}

/** The Worker of `npm run dev`: the deployed Worker, with the routes and reports of development. */
export default {
  ...worker,
  fetch: async (request, env, ctx) => {
    const { pathname, origin } = new URL(request.url)
    if (pathname.startsWith('/development/')) return local.fetch(request, env, ctx)
    if (pathname.startsWith('/v1/')) ctx.waitUntil(reportIgnored(request.clone()))
    const response = await worker.fetch(request, env, ctx)
    if (pathname === '/health' && request.method === 'GET') return withTokens(response)
    return withUrlsAt(origin, env, response)
  },
} satisfies ExportedHandler<Env>
