import type { D1Migration } from 'cloudflare:test'

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof import('../../src/index.ts')
    }
    interface Env {
      DB: D1Database
      BUCKET: R2Bucket
      /** The bucket's S3 address, see vitest.config.ts. */
      S3: Fetcher
      MIGRATIONS: D1Migration[]
    }
  }
}
