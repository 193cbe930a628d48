/** The location or jurisdiction of databases, bucket and Durable Objects: chosen before they are created, then fixed. */
import { createInterface } from 'node:readline/promises'
import { z } from 'zod'
import { locationOf, variablesOf } from './configuration.ts'
import type { Deployment } from './deployment.ts'
import { servingVersion } from './serving.ts'
import { isLocation, LOCATIONS, type Settings } from './settings.ts'
import { type Action, type Step, Stopped } from './step.ts'
import type { Wrangler } from './wrangler.ts'

/** A database as D1 lists it. Its jurisdiction is null when it is in none. */
const Listed = z.array(z.object({ uuid: z.string(), name: z.string(), jurisdiction: z.string().nullish() }))
export type ListedDatabase = z.output<typeof Listed>[0]

/** The part of a Worker's version that has JURISDICTION, and so the jurisdiction of its Durable Objects. */
const Version = z.object({
  resources: z.object({
    bindings: z.array(z.object({ type: z.string(), name: z.string(), text: z.string().optional() })),
  }),
})

/** All databases of the account. */
export async function databasesOf(wrangler: Wrangler): Promise<ListedDatabase[]> {
  return Listed.parse(await wrangler.json(['d1', 'list', '--json']))
}

/** The option of wrangler with the location of a new database or bucket. A jurisdiction excludes it. */
export function hintOf(settings: Settings): string[] {
  const { LOCATION } = locationOf(settings)
  return LOCATION === undefined ? [] : ['--location', LOCATION]
}

export const inWords = (jurisdiction: string | undefined) =>
  jurisdiction === undefined ? 'in no jurisdiction' : `in the jurisdiction ${jurisdiction}`

/** Refuses a jurisdiction that differs from the existing one, and asks for a location if the settings have neither. */
export function place(deployment: Deployment): Step {
  const { settings } = deployment
  return {
    name: 'Place',
    remedy: 'Nothing has been changed.',
    doneMessage: settings.jurisdiction
      ? inWords(settings.jurisdiction)
      : `location ${settings.location ?? 'unknown'}`,
    plan: async () => {
      const existing = deployment.isLoggedIn ? await databasesOf(deployment.wrangler) : []
      const found = settings.databases.flatMap(({ name }) => existing.filter((one) => one.name === name))
      refuseOtherJurisdiction(deployment, found)
      if (deployment.isLoggedIn) await refuseOtherObjects(deployment)
      const isKnown = settings.location !== undefined || settings.jurisdiction !== undefined
      return isKnown || found.length > 0 ? [] : [ask(deployment)]
    },
  }
}

function refuseOtherJurisdiction({ settings, file }: Deployment, found: ListedDatabase[]): void {
  const { jurisdiction: wanted } = settings
  for (const { name, jurisdiction } of found)
    if (jurisdiction !== undefined && (jurisdiction ?? undefined) !== wanted)
      throw new Stopped(
        `The database ${name} is ${inWords(jurisdiction ?? undefined)}, and ${file} wants it ${inWords(wanted)}.`,
        `The jurisdiction can't be changed: set "jurisdiction" to what it was. Another jurisdiction needs a deployment of its own, with other names.`,
      )
}

/** What users have in Durable Objects, by binding. */
const OBJECTS = new Map([
  ['INBOX', 'inboxes'],
  ['SAVES', 'saves'],
])

/** Refuses another jurisdiction of the Durable Objects: a name leads to a new, empty object in each jurisdiction. */
async function refuseOtherObjects({ wrangler, settings, file }: Deployment): Promise<void> {
  const id = await servingVersion(wrangler, settings.name)
  if (id === undefined) return
  const answer = await wrangler.json(['versions', 'view', id, '--name', settings.name, '--json'])
  const { bindings } = Version.parse(answer).resources
  const objects = bindings.flatMap(({ name }) => OBJECTS.get(name) ?? []).join(' and ')
  // `wrangler secret put` before the first deployment makes a version without bindings: no objects exist yet.
  if (objects === '') return
  const before = bindings.find(({ name }) => name === 'JURISDICTION')?.text || undefined
  const wanted = variablesOf(settings).JURISDICTION || undefined
  if (before === wanted) return
  throw new Stopped(
    `The ${objects} of ${settings.name} are ${inWords(before)}, and ${file} wants them ${inWords(wanted)}, where they would be empty.`,
    before === undefined
      ? `They can't be moved. To keep them where they are, set "JURISDICTION": "" in "variables".`
      : `They can't be moved: set "jurisdiction" to ${before}.`,
  )
}

function ask(deployment: Deployment): Action {
  const { file, isDryRun } = deployment
  const choices = Object.entries(LOCATIONS).map(([name, where]) => `${name.padEnd(9)}  ${where}`)
  const remedy = `Write "location" into ${file}, or "jurisdiction" (docs/deploying.md):\n${choices.join('\n')}`
  if (!isDryRun && !process.stdin.isTTY)
    throw new Stopped('Nothing says where the databases and the bucket are to be.', remedy)
  const act = async () => {
    console.log(`    ${choices.join('\n    ')}`)
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    const location = (await terminal.question('    Where are most of your players? ')).trim()
    terminal.close()
    if (!isLocation(location)) throw new Stopped(`${location || 'Nothing'} is no location.`, remedy)
    deployment.note({ location })
  }
  return { says: `asks where the databases and the bucket are to be, and writes it into ${file}`, act }
}
