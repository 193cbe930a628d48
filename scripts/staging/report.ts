/** Makes the checks, one after the other, and says of each what came. */
import { styleText } from 'node:util'
import type { Check, Look } from './check.ts'
import type { Deployment } from './deployment.ts'
import { type Need, needs, Wrong } from './given.ts'

/** What became of a check. `ran here`: it ran on the development server, which can't show what it is for. */
export type Fate = 'passed' | 'failed' | 'ran here' | 'not here' | 'lacks something' | 'not asked for'

const marks: Record<Fate, string> = {
  passed: styleText('green', '✓'),
  failed: styleText('red', '✗'),
  'ran here': styleText('yellow', '◌'),
  'not here': styleText('yellow', '–'),
  'lacks something': styleText('yellow', '–'),
  'not asked for': styleText('yellow', '–'),
}

/** Makes a check, or says why not. Whatever happens, what it has made is removed. */
async function make(
  check: Check,
  deployment: Deployment,
  isNamed: boolean,
): Promise<[fate: Fate, came: string]> {
  const missing = check.needs?.filter((need) => !deployment.has(need)) ?? []
  if (check.takes !== undefined && !isNamed)
    return ['not asked for', `takes ${check.takes}: --only ${check.name}`]
  if (deployment.isLocal && check.notHere !== undefined) return ['not here', check.notHere]
  if (missing.length > 0) return ['lacks something', `set ${missing.join(', ')}`]
  try {
    const came = await check.run(deployment)
    return deployment.isLocal && check.onPlatform !== undefined
      ? ['ran here', `${came}. Only the platform shows ${check.onPlatform}`]
      : ['passed', came]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return ['failed', error instanceof Wrong ? reason : `no outcome: ${reason}`]
  } finally {
    await deployment.cleanUp()
  }
}

/** Makes these checks, prints each, and returns what became of them. */
export async function makeAll(
  checks: readonly Check[],
  deployment: Deployment,
  isNamed: boolean,
): Promise<Map<Fate, string[]>> {
  const fates = new Map<Fate, string[]>()
  for (const check of checks) {
    const [fate, came] = await make(check, deployment, isNamed)
    fates.set(fate, [...(fates.get(fate) ?? []), check.name])
    console.log(`${marks[fate]} ${styleText('bold', check.name)}: ${check.does}`)
    console.log(`    must  ${check.must}\n    came  ${came}`)
  }
  return fates
}

const headings: Record<Fate, string> = {
  passed: 'passed',
  failed: 'FAILED',
  'ran here': 'ran on the development server, and only the platform can show what they are for',
  'not here': 'can’t be made on the development server',
  'lacks something': 'not made, because something is not set',
  'not asked for': 'not made, because they take long',
}

/** Prints how many checks came to what, by name, and what only a person can look at. */
export function summary(fates: ReadonlyMap<Fate, string[]>, looks: readonly Look[]): void {
  console.log('')
  for (const [fate, names] of fates)
    console.log(`${marks[fate]} ${names.length} ${headings[fate]}: ${names.join(', ')}`)
  console.log(`\n${looks.length} more are for a person:`)
  list(looks)
}

function list(looks: readonly Look[]): void {
  for (const look of looks)
    console.log(`☐ ${styleText('bold', look.name)}: ${look.do}\n    must  ${look.must}`)
}

/** What --list prints. */
export function listAll(checks: readonly Check[], looks: readonly Look[]): void {
  for (const { name, does, must, needs: needed = [], takes } of checks) {
    const conditions = [...needed, ...(takes === undefined ? [] : [`takes ${takes}`])]
    console.log(
      `${styleText('bold', name)}: ${does}${conditions.length > 0 ? ` (${conditions.join(', ')})` : ''}`,
    )
    console.log(`    must  ${must}`)
  }
  console.log('\nFor a person:')
  list(looks)
}

/** The needs that the environment fulfils. */
export function givenBy(environment: NodeJS.Dict<string>): Partial<Record<Need, string>> {
  const names = Object.keys(needs).filter((name): name is Need => name in needs)
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}
