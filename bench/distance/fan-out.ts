import type { Database } from '../serve.ts'

type Statement = ReturnType<Database['prepare']>

/** The statement of each database behind one that `fanOut` has made. */
const parts = new WeakMap<Statement, Statement[]>()

/**
 * A database whose statements are executed in all of these, so that each has the same rows. It answers as the first
 * one does. One after the other: of several calls at once to Miniflare, one has met a closed socket on a busy machine.
 */
export function fanOut(first: Database, others: Database[]): Database {
  const all = [first, ...others]
  return replacing(first, {
    prepare: (sql: string) =>
      fanned(
        first.prepare(sql),
        others.map((database) => database.prepare(sql)),
      ),
    batch: async (statements: Statement[]) => {
      const results = []
      for (const [i, database] of all.entries())
        results.push(await database.batch(statements.flatMap((statement) => parts.get(statement)?.[i] ?? [])))
      return results[0]
    },
  })
}

function fanned(first: Statement, others: Statement[]): Statement {
  const statement = replacing(first, {
    bind: (...values: unknown[]) =>
      fanned(
        first.bind(...values),
        others.map((other) => other.bind(...values)),
      ),
    run: async () => {
      const result = await first.run()
      for (const other of others) await other.run()
      return result
    },
  })
  parts.set(statement, [first, ...others])
  return statement
}

function replacing<Target extends object>(target: Target, methods: Record<string, unknown>): Target {
  return new Proxy(target, {
    get: (object, name) =>
      (typeof name === 'string' ? methods[name] : undefined) ?? Reflect.get(object, name),
  })
}
