import { keptStatements as unchecked } from '../../src/platform/db/sql.ts'

// vitest.config.ts replaces the service's module by this one.
export * from '../../src/platform/db/sql.ts'

const mistaken = new Set<string>()
let comparisons = 0

/**
 * The service's `keptStatements`, with a check: each use also renders the statement again.
 *
 * @throws when the kept statement differs, because its key does not cover the difference
 */
export function keptStatements<Row>(): ReturnType<typeof unchecked<Row>> {
  const kept = unchecked<Row>()
  return (shape, build, values) => {
    const anew = unchecked<Row>()(shape, build, values)
    const used = kept(shape, build, values)
    comparisons++
    if (used.sql === anew.sql && used.params.every((value, place) => value === anew.params[place]))
      return used
    const fault = `the statement kept as "${shape}" is used for another one:\n${inWords(used)}\n\n${inWords(anew)}`
    mistaken.add(fault)
    throw new Error(fault)
  }
}

const inWords = ({ sql, params }: { sql: string; params: unknown[] }) => `${sql}\n${JSON.stringify(params)}`

/** The errors thrown since the last call. An answer of 500 or a failed task of the job may have hidden them. */
export function mistakenStatements(): string[] {
  const faults = [...mistaken]
  mistaken.clear()
  return faults
}

/** How many uses of kept statements have been compared. */
export function countOfComparisons(): number {
  return comparisons
}
