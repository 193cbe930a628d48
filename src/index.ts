import { app } from './app.ts'
import type { Env } from './env.ts'
import { runScheduled } from './maintenance/job.ts'

export { Inbox } from './notifications/inbox.ts'
export { NotificationPublisher } from './notifications/publisher.ts'

export default {
  fetch: app.fetch,
  scheduled: (_, env) => runScheduled(env),
} satisfies ExportedHandler<Env>
