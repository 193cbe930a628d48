import { description } from '../describe.ts'
import worker from '../index.ts'
import { configuration } from '../platform/config/configuration.ts'
import type { Env } from '../platform/config/env.ts'
import { ignoredIn } from './ignored.ts'
import { local } from './routes.ts'

/** @public The classes that wrangler.toml names. */
export { Inbox, Janitor, NotificationPublisher } from '../index.ts'

/** Logs what the service ignores in a request: a line that names the operation, and the members and parameters. */
async function reportIgnored(request: Request): Promise<void> {
  const report = await ignoredIn(await description(), request)
  if (report !== undefined) console.log(report)
}

const BUCKET = '/cdn-cgi/local/r2/s3/'

/**
 * Has the URLs in an answer lead to the host that was asked. `npm run dev -- --ip 0.0.0.0` signs them for localhost, since
 * the local bucket answers to no other name, and gives requests on under that name (scripts/dev/network.ts).
 */
async function leadingTo(origin: string, env: Env, answer: Response): Promise<Response> {
  const { config } = configuration(env)
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json')
  if (!isJson || !config?.S3_ENDPOINT.startsWith('http://localhost:')) return answer
  const text = await answer.text()
  const signed = new URL(config.S3_ENDPOINT).origin + BUCKET
  return new Response(text.replaceAll(signed, origin + BUCKET), answer)
}

/** What `npm run dev` serves: the Worker as it is deployed, with what only development has around it. */
export default {
  ...worker,
  fetch: async (request, env, ctx) => {
    const { pathname, origin } = new URL(request.url)
    if (pathname.startsWith('/development/')) return local.fetch(request, env, ctx)
    if (pathname.startsWith('/v1/')) ctx.waitUntil(reportIgnored(request.clone()))
    return leadingTo(origin, env, await worker.fetch(request, env, ctx))
  },
} satisfies ExportedHandler<Env>
