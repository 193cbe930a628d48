import { describe } from './app.ts'
import type { Env } from './env.ts'
import worker from './index.ts'
import { ignoredIn } from './local/ignored.ts'
import { local } from './local/routes.ts'

/** @public The classes that wrangler.toml names. */
export { Inbox, Janitor, NotificationPublisher } from './index.ts'

let description: unknown

/** Logs what the service ignores in a request: a line that names the operation, and the members and parameters. */
async function reportIgnored(request: Request): Promise<void> {
  description ??= describe()
  const report = await ignoredIn(description, request)
  if (report !== undefined) console.warn(report)
}

/** What `npm run dev` serves: the Worker as it is deployed, with what only development has around it. */
export default {
  ...worker,
  fetch: (request, env, ctx) => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/development/')) return local.fetch(request, env, ctx)
    if (pathname.startsWith('/v1/')) ctx.waitUntil(reportIgnored(request.clone()))
    return worker.fetch(request, env, ctx)
  },
} satisfies ExportedHandler<Env>
