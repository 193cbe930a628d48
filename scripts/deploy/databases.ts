/** The D1 databases, one for each binding of the settings. */
import type { Deployment } from './deployment.ts'
import { databasesOf, hintOf, type ListedDatabase } from './place.ts'
import { type Action, note, type Step, Stopped } from './step.ts'

/** Creates the missing databases. Writes each id into the settings as soon as it is known, so that no failure loses one. */
export function databases(deployment: Deployment): Step {
  return {
    name: 'Databases',
    remedy: `Look at them with npx wrangler d1 list, and run the command again: databases that exist stay as they are.`,
    doneMessage: 'all exist',
    plan: async () => {
      const existing = deployment.isLoggedIn ? await databasesOf(deployment.wrangler) : []
      return deployment.settings.databases.flatMap((database) => actionFor(deployment, database, existing))
    },
  }
}

function actionFor(
  deployment: Deployment,
  { binding, name, id }: Deployment['settings']['databases'][0],
  existing: ListedDatabase[],
): Action[] {
  const { file, isLoggedIn } = deployment
  const known = existing.find((database) => database.name === name)
  if (id !== undefined) {
    if (isLoggedIn && known?.uuid !== id)
      throw new Stopped(
        `${binding}: ${file} has the id ${id}, and the account has ${known ? `${known.uuid} for ${name}` : `no database ${name}`}.`,
        `Is it the right account? A deployment never takes an empty database in place of one that had rows. If you mean to, remove the id from ${file}.`,
      )
    return []
  }
  if (known) {
    note(`${name} exists`)
    const says = `writes the id of ${name} as ${binding} into ${file}: ${known.uuid}`
    return [{ says, act: async () => deployment.note({ ids: new Map([[binding, known.uuid]]) }) }]
  }
  const says = `creates the database ${name} for ${binding}, and writes its id into ${file}`
  return [{ says, act: () => create(deployment, binding, name) }]
}

async function create(deployment: Deployment, binding: string, name: string): Promise<void> {
  const { wrangler, settings } = deployment
  const place = settings.jurisdiction === undefined ? [] : ['--jurisdiction', settings.jurisdiction]
  await wrangler.run(['d1', 'create', name, ...place, ...hintOf(settings)])
  const made = (await databasesOf(wrangler)).find((database) => database.name === name)
  if (made === undefined) throw new Error(`${name} was created, and wrangler d1 list does not show it.`)
  deployment.note({ ids: new Map([[binding, made.uuid]]) })
}
