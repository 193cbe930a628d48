import { keptStatements as unchecked } from '../../src/platform/db/sql.ts'

// The service under test imports this module in place of the other one (vitest.config.ts).
export * from '../../src/platform/db/sql.ts'

const mistaken = new Set<string>()
let comparisons = 0

/**
 * The service's `keptStatements`, which also renders each statement anew at each use.
 *
 * @throws when the kept statement is another one, so that its key has left out what makes a difference
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

/** What has been thrown since the last call: an answer of 500, or a task of the job, may have hidden it. */
export function mistakenStatements(): string[] {
  const faults = [...mistaken]
  mistaken.clear()
  return faults
}

/** How many uses of kept statements have been compared. */
export function countOfComparisons(): number {
  return comparisons
}
