import type { D1Migration } from 'cloudflare:test'
import type { RateLimits } from '../../src/platform/config/env.ts'

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof import('../../src/index.ts')
    }
    interface Env extends RateLimits {
      DB: D1Database
      /** In some projects of vitest.config.ts. */
      CATALOG?: D1Database
      BUCKET: R2Bucket
      INBOX: DurableObjectNamespace<import('../../src/features/notifications/inbox.ts').Inbox>
      SAVES: DurableObjectNamespace<import('../../src/features/saves/saves.ts').Saves>
      JANITOR: DurableObjectNamespace<import('../../src/janitor/janitor.ts').Janitor>
      /** Objects of another Worker, in place of those above: they lack every method (vitest.config.ts). */
      OLDER_INBOX: Env['INBOX']
      OLDER_SAVES: Env['SAVES']
      OLDER_JANITOR: Env['JANITOR']
      EVENTS: Queue<import('../../src/platform/config/message.ts').Message>
      CHECKS: Queue<import('../../src/platform/config/message.ts').Message>
      /** The bucket's S3 address, see vitest.config.ts. */
      S3: Fetcher
      MIGRATIONS: D1Migration[]
    }
  }
}
