import { app } from './app.ts'
import type { Env } from './env.ts'
import { wakeJanitor } from './maintenance/janitor.ts'

export { Janitor } from './maintenance/janitor.ts'
export { Inbox } from './notifications/inbox.ts'
export { NotificationPublisher } from './notifications/publisher.ts'

export default {
  fetch: app.fetch,
  scheduled: (_, env) => wakeJanitor(env),
} satisfies ExportedHandler<Env>
