import { env } from 'cloudflare:test'
import type { Env } from '../../src/platform/config/env.ts'
import { overEvery } from './databases.ts'
import { overridden } from './meter.ts'

/** The service that a call goes to. */
export type Binding = 'D1' | 'R2' | 'INBOX' | 'SAVES'

/** Handles a call to a binding: `site` names the call, `act` makes it. */
type Outgoing = <Answer>(binding: Binding, site: string, act: () => Promise<Answer>) => Promise<Answer>

/** The bindings, with every call passed to `call`. */
export function outgoing(call: Outgoing): Pick<Env, 'DB' | 'BUCKET' | 'INBOX' | 'SAVES'> {
  return {
    ...overEvery((database) =>
      overridden(database, {
        withSession: (constraint: string) => session(database.withSession(constraint), call),
      }),
    ),
    BUCKET: bucket(call),
    INBOX: overridden(env.INBOX, {
      getByName: (name: string) => object('INBOX', env.INBOX.getByName(name), call),
    }),
    SAVES: overridden(env.SAVES, {
      getByName: (name: string) => object('SAVES', env.SAVES.getByName(name), call),
    }),
  }
}

/** A database that has these methods in place of its sessions' own: those that `methods` returns for each session. */
export function withSessions(
  database: D1Database,
  methods: (session: D1DatabaseSession, constraint: string) => Record<string, unknown>,
): D1Database {
  return overridden(database, {
    withSession: (constraint: string) => {
      const session = database.withSession(constraint)
      return overridden(session, methods(session, constraint))
    },
  })
}

function session(real: D1DatabaseSession, call: Outgoing): D1DatabaseSession {
  const wrapped = new WeakMap<object, { statement: D1PreparedStatement; isRead: boolean }>()
  const bound = (statement: D1PreparedStatement, isRead: boolean) => {
    const site = isRead ? 'read' : 'statement'
    const through = overridden(statement, { all: () => call('D1', site, () => statement.all()) })
    wrapped.set(through, { statement, isRead })
    return through
  }
  return overridden(real, {
    prepare: (query: string) => {
      const statement = real.prepare(query)
      const isRead = !/\b(INSERT|UPDATE|DELETE)\b/.test(query)
      return { bind: (...values: unknown[]) => bound(statement.bind(...values), isRead) }
    },
    batch: (statements: D1PreparedStatement[]) => {
      const isRead = statements.every((statement) => wrapped.get(statement)?.isRead)
      return call('D1', isRead ? 'reads' : 'batch', () =>
        real.batch(statements.map((statement) => wrapped.get(statement)?.statement ?? statement)),
      )
    },
  })
}

/** When objects were put, by their keys, on the proof's own clock, which R2 does not use. */
const putAt = new Map<string, Date>()

function bucket(call: Outgoing): R2Bucket {
  const real = env.BUCKET
  const names = ['head', 'get', 'delete', 'createMultipartUpload'] as const
  const methods = names.map((name) => [
    name,
    (...args: unknown[]) => call('R2', name, async () => Reflect.apply(real[name], real, args)),
  ])
  return overridden(real, {
    ...Object.fromEntries(methods),
    put: (...args: Parameters<R2Bucket['put']>) =>
      call('R2', 'put', () => {
        putAt.set(args[0], new Date())
        return real.put(...args)
      }),
    list: (options?: R2ListOptions) =>
      call('R2', 'list', async () => {
        const listed = await real.list(options)
        const objects = listed.objects.map((object) => {
          const uploaded = putAt.get(object.key)
          return uploaded ? { ...object, key: object.key, uploaded } : object
        })
        return { ...listed, objects }
      }),
    resumeMultipartUpload: (key: string, id: string) => {
      const multipart = real.resumeMultipartUpload(key, id)
      return {
        complete: (parts: R2UploadedPart[]) => call('R2', 'complete', () => multipart.complete(parts)),
        abort: () => call('R2', 'abort', () => multipart.abort()),
        uploadPart: (...args: Parameters<R2MultipartUpload['uploadPart']>) =>
          call('R2', 'uploadPart', () => multipart.uploadPart(...args)),
      }
    },
  })
}

/** The stub of an object, with every call passed to `call`. */
function object<Stub extends object>(binding: Binding, real: Stub, call: Outgoing): Stub {
  return new Proxy(real, {
    get:
      (stub, method) =>
      (...args: unknown[]) =>
        call(binding, String(method), async () => {
          const member: unknown = Reflect.get(stub, method)
          if (typeof member !== 'function') throw new Error(`an object has no ${String(method)}`)
          return Reflect.apply(member, stub, args)
        }),
  })
}
