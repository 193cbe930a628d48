/** Replaces code of dependencies in the bundle that the service has no use for (`[alias]` in wrangler.toml). */

/** Replaces drizzle's test for an enumeration of PostgreSQL, of which SQLite has none. */
export function isPgEnum(): boolean {
  return false
}

/** Replaces drizzle's kinds of columns, which a table takes whose columns are given by a function. None is. */
export const [getSQLiteColumnBuilders, getPgColumnBuilders] = [neverCalled, neverCalled]

function neverCalled(): never {
  throw new Error('drizzle is bundled without this.')
}
