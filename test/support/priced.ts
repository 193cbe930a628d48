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
}

const classA = ['put', 'list', 'createMultipartUpload']
const classB = ['head', 'get']

/** A way into the service that counts what each request costs. */
export async function priced(
  variables: Record<string, string> = {},
  bindings: Partial<Pick<Env, 'EVENTS'>> = {},
) {
  const calls = { a: 0, b: 0, inbox: 0 }
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  await countCursors(cursors)
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
  })
  return {
    service,
    /** The total cost of the requests that `work` makes. */
    async of(work: () => Promise<unknown>): Promise<Price> {
      Object.assign(calls, { a: 0, b: 0, inbox: 0 })
      cursors.length = 0
      const { trips, rows_read, rows_written } = await of(work)
      const sum = (column: 'rowsRead' | 'rowsWritten') =>
        cursors.reduce((total, cursor) => total + cursor[column], 0)
      return {
        trips,
        rows_read,
        rows_written,
        r2_class_a: calls.a,
        r2_class_b: calls.b,
        inbox_calls: calls.inbox,
        inbox_rows_read: sum('rowsRead'),
        inbox_rows_written: sum('rowsWritten'),
      }
    },
  }
}

/** Records the cursor of every statement that an object executes. Tests, Worker and objects share one prototype. */
async function countCursors(cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[]): Promise<void> {
  await runInDurableObject(env.INBOX.getByName('the prototype of its storage'), (_, { storage }) => {
    const prototype: SqlStorage = Object.getPrototypeOf(storage.sql)
    prototype.exec = new Proxy(prototype.exec, {
      apply(target, self, values) {
        const cursor = Reflect.apply(target, self, values)
        cursors.push(cursor)
        return cursor
      },
    })
  })
}
