import type { z } from '@hono/zod-openapi'
import type { records } from '../../support/records.ts'

type Notification = z.output<typeof records.Notification>

/** What publishing came to, for the Worker that called. */
type Outcome =
  | { notification: Notification; error?: never }
  | { error: { name: string; message: string; code: unknown }; notification?: never }

interface Publisher {
  publish(input: unknown, options?: unknown): Promise<Outcome>
  publishAll(
    inputs: unknown,
    options?: unknown,
  ): Promise<({ notification: Notification } | { error: string })[] | Outcome>
}

declare global {
  namespace Cloudflare {
    interface Env {
      /** Two Workers that publish over a service binding (vitest.config.ts), each known by its name. */
      SOCIAL: Publisher
      GUILDS: Publisher
    }
  }
}
