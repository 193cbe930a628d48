import { z } from 'zod'

/** The binding of the first database, which has every partition that was never moved. */
export const FIRST = 'DB'

/** The binding of the catalogue's own database. Without it the catalogue is in the first database (docs/catalogue.md). */
export const CATALOG = 'CATALOG'

/** A range of partitions, both ends included, and the binding of its database. */
export interface Range {
  first: string
  last: string
  database: string
}

/** The configured database of a partition. The partition may have been moved since. */
export function databaseIn(ranges: readonly Range[], partition: string): string {
  return ranges.find(({ first, last }) => first <= partition && partition <= last)?.database ?? FIRST
}

/** One range of SHARDS: `800-fff:DB_1`. */
const RANGE = /^([0-9a-f]{3})-([0-9a-f]{3}):(DB(?:_[1-9]\d*)?)$/

/** Parses SHARDS, such as `000-7ff:DB,800-fff:DB_1`. A partition in no range is in the first database. */
export const ranges = z.string().transform((text, context) => {
  const found: Range[] = []
  for (const part of text.split(',')) {
    const [, first, last, database] = RANGE.exec(part.trim()) ?? []
    const isRange = first !== undefined && last !== undefined && database !== undefined && first <= last
    if (!isRange || found.some((other) => first <= other.last && other.first <= last)) {
      context.addIssue('must be ranges that do not overlap, as in 000-7ff:DB,800-fff:DB_1')
      return z.NEVER
    }
    found.push({ first, last, database })
  }
  return found
})

/** The bindings of databases, under their names. */
export type Bindings = Readonly<Record<string, D1Database>>

/** The names of the databases that have partitions. */
export function shardsIn(bindings: Bindings): string[] {
  return Object.keys(bindings).filter((name) => name !== CATALOG)
}

/** Every bound database under the name of its binding, in the order DB, DB_1, DB_2, …; last the catalogue's, if it has its own. */
export function databasesOf(env: { DB: D1Database; CATALOG?: D1Database }): Bindings {
  const known = bound.get(env)
  if (known) return known
  const further = Object.entries(env)
    .filter((entry): entry is [string, D1Database] => FURTHER.test(entry[0]) && isDatabase(entry[1]))
    .sort(([one], [other]) => one.length - other.length || (one < other ? -1 : 1))
  const catalogue = env.CATALOG && { CATALOG: env.CATALOG }
  const bindings = { DB: env.DB, ...Object.fromEntries(further), ...catalogue }
  bound.set(env, bindings)
  return bindings
}

const bound = new WeakMap<{ DB: D1Database }, Bindings>()
const FURTHER = /^DB_[1-9]\d*$/

function isDatabase(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'withSession' in value
}
