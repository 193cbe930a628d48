import { env } from 'cloudflare:test'
import type { RequestContext } from '../../src/platform/context.ts'
import { overridden } from '../support/meter.ts'

/** The same context, which records the keys of the objects that it puts. */
export function noting(work: RequestContext): { work: RequestContext; put: string[] } {
  const put: string[] = []
  const bucket = overridden(work.bucket, {
    put: (...args: Parameters<R2Bucket['put']>) => {
      put.push(args[0])
      return env.BUCKET.put(...args)
    },
  })
  return { work: { ...work, bucket }, put }
}
