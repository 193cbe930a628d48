/** Replaces code of dependencies that the service does not use, in the bundle (`[alias]` in wrangler.toml). */

/** Replaces drizzle's test for an enumeration of PostgreSQL. SQLite has no enumerations. */
export function isPgEnum(): boolean {
  return false
}

/** Replaces drizzle's builders of columns, which only a table with its columns given by a function needs. The schema has none. */
export const [getSQLiteColumnBuilders, getPgColumnBuilders] = [neverCalled, neverCalled]

function neverCalled(): never {
  throw new Error('drizzle is bundled without this.')
}
