import { env, runInDurableObject } from 'cloudflare:test'
import type { Env } from '../../../src/platform/config/env.ts'
import { meter, meteredBucket, meteredInboxes, overridden } from '../meter.ts'

/** What is counted of a request. */
export const columns = [
  'trips',
  'rows_read',
  'rows_written',
  /** Calls to R2 by what the platform bills: those that change or list objects, those that read one, and those for nothing. */
  'r2_class_a',
  'r2_class_b',
  'r2_free',
  /** Calls to inboxes, and the rows that their statements read and wrote. */
  'inbox_calls',
  'inbox_rows_read',
  'inbox_rows_written',
  /** The same of a player's saves. */
  'saves_calls',
  'saves_rows_read',
  'saves_rows_written',
] as const

/** The cost of a request in the units that the platform bills. */
export type Price = Record<(typeof columns)[number], number>

/** A way into the service that counts what each request costs. */
export async function priced(
  variables: Record<string, string> = {},
  bindings: Partial<Pick<Env, 'EVENTS'>> = {},
) {
  const none = { r2_class_a: 0, r2_class_b: 0, r2_free: 0, inbox_calls: 0, saves_calls: 0 }
  const calls = { ...none }
  const executed: Executed = { inbox: [], saves: [], saves_values: 0 }
  await countStatements(executed)
  const counted = {
    ...bindings,
    BUCKET: meteredBucket(env.BUCKET, (method) => {
      if (method === 'delete' || method === 'abort') calls.r2_free++
      else calls[method === 'head' || method === 'get' ? 'r2_class_b' : 'r2_class_a']++
    }),
    INBOX: meteredInboxes(env.INBOX, () => calls.inbox_calls++),
    // A favorite wakes the job 45 seconds later, which would change what is measured then.
    JANITOR: overridden(env.JANITOR, {
      getByName: (name: string) => ({
        wakeAt: async () => undefined,
        history: () => env.JANITOR.getByName(name).history(),
      }),
    }),
    SAVES: overridden(env.SAVES, {
      getByName: (name: string) => {
        calls.saves_calls++
        return env.SAVES.getByName(name)
      },
    }),
  }
  // An isolate asks where the catalogue's database is every five seconds, after some answer: a trip that reads no row.
  const { service, of, differently } = meter({ REPLICA_LAG: '0', ...variables }, counted)
  return {
    service,
    /** The service with other variables; `of` counts its requests, too. */
    differently,
    /** The total cost of the requests that `work` makes. */
    async of(work: () => Promise<unknown>): Promise<Price> {
      Object.assign(calls, none)
      Object.assign(executed, { inbox: [], saves: [], saves_values: 0 })
      const { trips, rows_read, rows_written } = await of(work)
      const sum = (object: 'inbox' | 'saves', column: 'rowsRead' | 'rowsWritten') =>
        executed[object].reduce((total, cursor) => total + cursor[column], 0)
      return {
        trips,
        rows_read,
        rows_written,
        ...calls,
        inbox_rows_read: sum('inbox', 'rowsRead'),
        inbox_rows_written: sum('inbox', 'rowsWritten'),
        saves_rows_read: sum('saves', 'rowsRead'),
        saves_rows_written: sum('saves', 'rowsWritten') + executed.saves_values,
      }
    },
  }
}

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>

/** The cursors of what objects have executed, and how many values saves have put beside their table: each is a row. */
interface Executed {
  inbox: Cursor[]
  saves: Cursor[]
  saves_values: number
}

/** Records every statement that an object executes. Tests, Worker and objects share the prototypes of their storage. */
async function countStatements(executed: Executed): Promise<void> {
  await runInDurableObject(env.INBOX.getByName('the prototype of its storage'), (_, { storage }) => {
    const sql: SqlStorage = Object.getPrototypeOf(storage.sql)
    sql.exec = new Proxy(sql.exec, {
      apply(target, self, values) {
        const cursor = Reflect.apply(target, self, values)
        executed[/\brevisions\b/.test(values[0]) ? 'saves' : 'inbox'].push(cursor)
        return cursor
      },
    })
    const kv: SyncKvStorage = Object.getPrototypeOf(storage.kv)
    kv.put = new Proxy(kv.put, {
      apply(target, self, values) {
        if (values[0] === 'account') executed.saves_values += 1
        return Reflect.apply(target, self, values)
      },
    })
  })
}
