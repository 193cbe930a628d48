import { env, runInDurableObject } from 'cloudflare:test'
import type { Env } from '../../src/platform/config/env.ts'
import { type Cost, meter, overridden } from './meter.ts'

/** The cost of a request in the units that the platform bills. */
export interface Price extends Omit<Cost, 'r2_calls'> {
  /** Calls to R2 that change or list objects, and those that read one. Deleting is free. */
  r2_class_a: number
  r2_class_b: number
  /** Calls to an inbox, and the rows that its statements read and wrote. */
  inbox_calls: number
  inbox_rows_read: number
  inbox_rows_written: number
  /** The same of a player's saves, in a request that calls them. */
  saves_calls?: number
  saves_rows_read?: number
  saves_rows_written?: number
}

const classA = ['put', 'list', 'createMultipartUpload']
const classB = ['head', 'get']

/** A way into the service that counts what each request costs. */
export async function priced(
  variables: Record<string, string> = {},
  bindings: Partial<Pick<Env, 'EVENTS'>> = {},
) {
  const calls = { a: 0, b: 0, inbox: 0, saves: 0 }
  const executed: Executed = { inbox: [], saves: [], saves_values: 0 }
  await countStatements(executed)
  const counting = <Target extends object>(target: Target, names: string[], count: () => void) =>
    overridden(
      target,
      Object.fromEntries(
        names.map((name) => {
          const method: unknown = Reflect.get(target, name)
          if (typeof method !== 'function') throw new Error(`there is no ${name}`)
          return [name, (...args: unknown[]) => [count(), Reflect.apply(method, target, args)].at(1)]
        }),
      ),
    )
  const { service, of } = meter(variables, {
    ...bindings,
    BUCKET: counting(
      counting(env.BUCKET, classA, () => calls.a++),
      classB,
      () => calls.b++,
    ),
    INBOX: counting(env.INBOX, ['getByName'], () => calls.inbox++),
    SAVES: counting(env.SAVES, ['getByName'], () => calls.saves++),
  })
  return {
    service,
    /** The total cost of the requests that `work` makes. */
    async of(work: () => Promise<unknown>): Promise<Price> {
      Object.assign(calls, { a: 0, b: 0, inbox: 0, saves: 0 })
      Object.assign(executed, { inbox: [], saves: [], saves_values: 0 })
      const { trips, rows_read, rows_written } = await of(work)
      const sum = (object: 'inbox' | 'saves', column: 'rowsRead' | 'rowsWritten') =>
        executed[object].reduce((total, cursor) => total + cursor[column], 0)
      return {
        trips,
        rows_read,
        rows_written,
        r2_class_a: calls.a,
        r2_class_b: calls.b,
        inbox_calls: calls.inbox,
        inbox_rows_read: sum('inbox', 'rowsRead'),
        inbox_rows_written: sum('inbox', 'rowsWritten'),
        ...(calls.saves > 0 && {
          saves_calls: calls.saves,
          saves_rows_read: sum('saves', 'rowsRead'),
          saves_rows_written: sum('saves', 'rowsWritten') + executed.saves_values,
        }),
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
