import { env } from 'cloudflare:test'
import type { Env } from '../../src/platform/config/env.ts'
import { learnLayOut, overEvery } from './databases.ts'
import { serviceWith } from './service.ts'

/** The cost of requests. */
export interface Cost {
  /** Round trips to D1: a query or a batch. */
  trips: number
  rows_read: number
  rows_written: number
  r2_calls: number
}

/**
 * A way into the service that counts what each request costs: the same Worker over the same bindings, with the
 * bindings' own figures (`meta`) added up on the way. `variables` are set on top of the tests' own, and `bindings` in
 * place of the metered ones.
 */
export function meter(
  variables: Record<string, string | undefined> = {},
  bindings: Partial<
    Pick<Env, 'BUCKET' | 'INBOX' | 'SAVES' | 'PICTURE_LIMIT' | 'EVENTS' | 'CHECKS' | 'JANITOR'>
  > = {},
) {
  const cost: Cost = { trips: 0, rows_read: 0, rows_written: 0, r2_calls: 0 }
  const count = <Result extends D1Result>(results: Result[]): void => {
    cost.trips += 1
    for (const { meta } of results) {
      cost.rows_read += meta.rows_read
      cost.rows_written += meta.rows_written
    }
  }
  const databases = overEvery((database) => meteredDatabase(database, count))
  learnLayOut(databases)
  const differently = (different: Record<string, string>, others: typeof bindings = {}) =>
    serviceWith({
      ...variables,
      ...different,
      ...databases,
      BUCKET: meteredBucket(env.BUCKET, () => cost.r2_calls++),
      ...bindings,
      ...others,
    })
  return {
    service: differently({}),
    /** The service with further variables and bindings. Its requests are counted, too. */
    differently,
    /** The total cost of the requests that `work` makes. */
    async of(work: () => Promise<unknown>): Promise<Cost> {
      Object.assign(cost, { trips: 0, rows_read: 0, rows_written: 0, r2_calls: 0 })
      await work()
      return { ...cost }
    },
  }
}

/** Answers `method` with `replacement`, and everything else as `target` does. */
export function overridden<Target extends object>(target: Target, methods: Record<string, unknown>): Target {
  return new Proxy(target, {
    get(object, name) {
      if (typeof name === 'string' && Object.hasOwn(methods, name)) return methods[name]
      const member: unknown = Reflect.get(object, name)
      return typeof member === 'function' ? member.bind(object) : member
    },
  })
}

type Count = (results: D1Result[]) => void

export function meteredDatabase(database: D1Database, count: Count): D1Database {
  return overridden(database, {
    withSession: (constraint: string) => meteredSession(database.withSession(constraint), count),
  })
}

/** Statements wrapped for counting, and the statements that they wrap. */
const wrapped = new WeakMap<D1PreparedStatement, D1PreparedStatement>()

function meteredSession(session: D1DatabaseSession, count: Count): D1DatabaseSession {
  return overridden(session, {
    prepare: (query: string) => meteredStatement(session.prepare(query), count),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await session.batch(statements.map((statement) => wrapped.get(statement) ?? statement))
      count(results)
      return results
    },
  })
}

function meteredStatement(statement: D1PreparedStatement, count: Count): D1PreparedStatement {
  const metered = overridden(statement, {
    bind: (...values: unknown[]) => meteredStatement(statement.bind(...values), count),
    all: async () => {
      const result = await statement.all()
      count([result])
      return result
    },
  })
  wrapped.set(metered, statement)
  return metered
}

/** The inboxes, with a count of the calls to them. */
export function meteredInboxes(inboxes: Env['INBOX'], count: () => void): Env['INBOX'] {
  const counted = (inbox: ReturnType<Env['INBOX']['getByName']>) =>
    new Proxy(inbox, {
      get(object, name) {
        const method: unknown = Reflect.get(object, name)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => {
          count()
          return Reflect.apply(method, object, args)
        }
      },
    })
  return overridden(inboxes, { getByName: (name: string) => counted(inboxes.getByName(name)) })
}

type BucketMethod =
  | 'head'
  | 'get'
  | 'put'
  | 'list'
  | 'delete'
  | 'createMultipartUpload'
  | 'complete'
  | 'abort'

/** The bucket, with a count of the calls to it, by method. */
export function meteredBucket(bucket: R2Bucket, count: (method: BucketMethod) => void): R2Bucket {
  const counted = (name: Exclude<BucketMethod, 'complete' | 'abort'>) => {
    return (...args: unknown[]) => {
      count(name)
      return Reflect.apply(bucket[name], bucket, args)
    }
  }
  return overridden(bucket, {
    head: counted('head'),
    get: counted('get'),
    put: counted('put'),
    list: counted('list'),
    delete: counted('delete'),
    createMultipartUpload: counted('createMultipartUpload'),
    resumeMultipartUpload: (key: string, id: string) => {
      const multipart = bucket.resumeMultipartUpload(key, id)
      const complete = (parts: R2UploadedPart[]) => {
        count('complete')
        return multipart.complete(parts)
      }
      const abort = () => {
        count('abort')
        return multipart.abort()
      }
      return { complete, abort }
    },
  })
}
