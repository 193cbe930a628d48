import { app } from './app.ts'
import type { Env } from './env.ts'
import { wakeJanitors } from './jobs/janitor.ts'

export { Janitor } from './jobs/janitor.ts'
export { Inbox } from './notifications/inbox.ts'
export { NotificationPublisher } from './notifications/publisher.ts'

export default {
  fetch: app.fetch,
  scheduled: (_, env) => wakeJanitors(env),
  queue: async (batch, env) => (await import('./events/consume.ts')).consume(batch, env),
} satisfies ExportedHandler<Env>
