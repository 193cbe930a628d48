import { app } from './app.ts'
import { wakeJanitors } from './janitor/janitor.ts'
import type { Env } from './platform/config/env.ts'

/** The classes that wrangler.toml names. */
export { Inbox } from './features/notifications/inbox.ts'
export { NotificationPublisher } from './features/notifications/publisher.ts'
export { Saves } from './features/saves/saves.ts'
export { Janitor } from './janitor/janitor.ts'

/** The Worker: serves requests, runs the scheduled job, and consumes the queues. */
export default {
  fetch: app.fetch,
  scheduled: (_, env) => wakeJanitors(env),
  queue: async (batch, env, ctx) => (await import('./janitor/consume.ts')).consume(batch, env, ctx.cache),
} satisfies ExportedHandler<Env>
