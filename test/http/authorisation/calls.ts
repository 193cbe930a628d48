import { env } from 'cloudflare:workers'
import { meter, overridden } from '../../support/meter.ts'

/** What requests have called. */
export interface Calls {
  /** Trips to D1, and the rows that they wrote, of anybody. */
  trips: number
  rows_written: number
  /** Durable Objects. */
  objects: number
  r2_calls: number
}

/** Of requests that reach nothing that is stored. */
export const noCalls: Calls = { trips: 0, rows_written: 0, objects: 0, r2_calls: 0 }

/** A way into the service that counts what requests call. */
export function counting(variables: Record<string, string | undefined> = {}) {
  let objects = 0
  const counted = <Namespace extends { getByName(name: string): unknown }>(namespace: Namespace) =>
    overridden(namespace, {
      getByName: (name: string) => {
        objects++
        return namespace.getByName(name)
      },
    })
  const { service, of } = meter(variables, {
    INBOX: counted(env.INBOX),
    SAVES: counted(env.SAVES),
    JANITOR: counted(env.JANITOR),
  })
  return {
    service,
    /** What `work` returns, and the calls of its requests. */
    async callsOf<Result>(work: () => Promise<Result>): Promise<[Result, Calls]> {
      objects = 0
      const working = work()
      const { trips, rows_written, r2_calls } = await of(() => working)
      return [await working, { trips, rows_written, objects, r2_calls }]
    },
  }
}
