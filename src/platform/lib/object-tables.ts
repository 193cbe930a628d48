/*
 * The tables of a Durable Object. Each step leads from one version of them to the next, the first from none to version 1. A
 * step never changes once it has been released; a change is a new step at the end. The Worker before must still run on the
 * tables after it (docs/upgrading.md#upgrading).
 */

/** A key of the storage: an object may not set `PRAGMA user_version`. */
const VERSION = 'schema_version'

/** Whether the object has tables. It gets them with its first change. */
export function hasTables({ kv }: DurableObjectStorage): boolean {
  return kv.get<number>(VERSION) !== undefined
}

/** Creates the tables of the latest version, unless the object has tables. Call it in the transaction of the first change. */
export function createTables(storage: DurableObjectStorage, steps: readonly string[]): void {
  if (!hasTables(storage)) takeSteps(storage, steps)
}

/** Brings the tables of an object to the latest version, in one transaction. A newer version than the latest stays. */
export function migrate(storage: DurableObjectStorage, steps: readonly string[]): void {
  const version = storage.kv.get<number>(VERSION)
  if (version !== undefined && version < steps.length)
    storage.transactionSync(() => takeSteps(storage, steps, version))
}

/** Forgets the version of tables that have been dropped. */
export function forgetTables({ kv }: DurableObjectStorage): void {
  kv.delete(VERSION)
}

function takeSteps({ sql, kv }: DurableObjectStorage, steps: readonly string[], version = 0): void {
  for (const step of steps.slice(version)) sql.exec(step)
  kv.put(VERSION, steps.length)
}

/** A row in the type that SqlStorage requires: a mapped type has the index signature that an interface lacks. */
export type Row<Of> = { [Column in keyof Of]: Of[Column] & SqlStorageValue }
