/** Runs the checks one after the other, and prints the outcome of each. */
import { styleText } from 'node:util'
import type { Check, ManualCheck } from './check.ts'
import type { Deployment } from './deployment.ts'
import { type Need, needs, Wrong } from './given.ts'

/** The outcome of a check. `inconclusive`: it ran on the development server, and only the platform can answer its question. */
export type Outcome =
  | 'passed'
  | 'failed'
  | 'inconclusive'
  | 'skipped locally'
  | 'lacks a variable'
  | 'only on request'

const marks: Record<Outcome, string> = {
  passed: styleText('green', '✓'),
  failed: styleText('red', '✗'),
  inconclusive: styleText('yellow', '◌'),
  'skipped locally': styleText('yellow', '–'),
  'lacks a variable': styleText('yellow', '–'),
  'only on request': styleText('yellow', '–'),
}

/** Runs a check, or returns why it does not run. Always removes what the check has created. */
async function make(
  check: Check,
  deployment: Deployment,
  isNamed: boolean,
): Promise<[outcome: Outcome, came: string]> {
  const missing = check.needs?.filter((need) => !deployment.has(need)) ?? []
  if (check.takes !== undefined && !isNamed)
    return ['only on request', `takes ${check.takes}: --only ${check.name}`]
  if (deployment.isLocal && check.notHere !== undefined) return ['skipped locally', check.notHere]
  if (missing.length > 0) return ['lacks a variable', `set ${missing.join(', ')}`]
  try {
    const came = await check.run(deployment)
    return deployment.isLocal && check.onPlatform !== undefined
      ? ['inconclusive', `${came}. Only the platform shows ${check.onPlatform}`]
      : ['passed', came]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return ['failed', error instanceof Wrong ? reason : `no outcome: ${reason}`]
  } finally {
    await deployment.cleanUp()
  }
}

/** Runs checks, prints each, and returns their names by outcome. */
export async function makeAll(
  checks: readonly Check[],
  deployment: Deployment,
  isNamed: boolean,
): Promise<Map<Outcome, string[]>> {
  const outcomes = new Map<Outcome, string[]>()
  for (const check of checks) {
    const [outcome, came] = await make(check, deployment, isNamed)
    outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), check.name])
    console.log(`${marks[outcome]} ${styleText('bold', check.name)}: ${check.does}`)
    console.log(`    must  ${check.must}\n    came  ${came}`)
  }
  return outcomes
}

const headings: Record<Outcome, string> = {
  passed: 'passed',
  failed: 'FAILED',
  inconclusive: 'ran on the development server, and only the platform can show what they are for',
  'skipped locally': 'can’t be made on the development server',
  'lacks a variable': 'not made, because something is not set',
  'only on request': 'not made, because they take long',
}

/** Prints the names of the checks by outcome, and then the manual checks. */
export function summary(
  outcomes: ReadonlyMap<Outcome, string[]>,
  manualChecks: readonly ManualCheck[],
): void {
  console.log('')
  for (const [outcome, names] of outcomes)
    console.log(`${marks[outcome]} ${names.length} ${headings[outcome]}: ${names.join(', ')}`)
  console.log(`\n${manualChecks.length} more are for a person:`)
  list(manualChecks)
}

function list(manualChecks: readonly ManualCheck[]): void {
  for (const check of manualChecks)
    console.log(`☐ ${styleText('bold', check.name)}: ${check.do}\n    must  ${check.must}`)
}

/** Prints all checks, for --list. */
export function listAll(checks: readonly Check[], manualChecks: readonly ManualCheck[]): void {
  for (const { name, does, must, needs: needed = [], takes } of checks) {
    const conditions = [...needed, ...(takes === undefined ? [] : [`takes ${takes}`])]
    console.log(
      `${styleText('bold', name)}: ${does}${conditions.length > 0 ? ` (${conditions.join(', ')})` : ''}`,
    )
    console.log(`    must  ${must}`)
  }
  console.log('\nFor a person:')
  list(manualChecks)
}

/** The variables of `needs` that the environment has. */
export function givenBy(environment: NodeJS.Dict<string>): Partial<Record<Need, string>> {
  const names = Object.keys(needs).filter((name): name is Need => name in needs)
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}
