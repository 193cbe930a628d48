/** Read replication of the databases. Only Cloudflare's API switches it: wrangler has no command. */
import { z } from 'zod'
import { ApiFailed, CloudflareApi } from './api.ts'
import type { Deployment } from './deployment.ts'
import { type Action, type Step, Stopped } from './step.ts'

/** A database in Cloudflare's API. A database without `read_replication` has no replicas. */
const Database = z.object({ read_replication: z.object({ mode: z.string() }).nullish() })

/** The announcements of the modes. */
const SAYS = {
  auto: 'turns read replication on for',
  disabled: 'turns read replication off, which takes up to 24 hours, for',
}

/**
 * Gives each database the mode of the settings. Comes after the migrations and before the Worker, so that a failure leaves the
 * old code serving.
 */
export function replication(deployment: Deployment): Step {
  const { settings, file, wrangler, isLoggedIn } = deployment
  const { read_replication: wanted, databases } = settings
  const remedy = `The migrations are applied, and the Worker that was deployed before goes on serving. Run the command again. To deploy without this step, write "read_replication": null into ${file}, and switch it in the dashboard (D1, the database, Settings).`
  const state = wanted === 'auto' ? 'on' : 'off'
  return {
    name: 'Read replication',
    remedy,
    doneMessage: wanted === null ? 'left as it is: the setting is null' : `${state} for every database`,
    plan: async () => {
      if (wanted === null) return []
      const api = isLoggedIn ? await CloudflareApi.as(wrangler) : undefined
      const actions: Action[] = []
      for (const { name, id } of databases) {
        const path = `/accounts/${wrangler.account_id}/d1/database/${id}`
        // In a dry run a database may not exist yet, and nobody may be logged in.
        const isThere = api !== undefined && id !== undefined
        const now = isThere ? await permitted(api.get(Database, path), remedy) : undefined
        if (modeOf(now) === wanted) continue
        const act = async () => {
          const body = { read_replication: { mode: wanted } }
          const after = await permitted(api?.put(Database, path, body), remedy)
          if (modeOf(after) !== wanted)
            throw new Error(`${name} still has the mode ${modeOf(after)}, although D1 took the change.`)
        }
        actions.push({ says: `${SAYS[wanted]} ${name}`, act })
      }
      return actions
    },
  }
}

const modeOf = (database: z.output<typeof Database> | undefined) =>
  database?.read_replication?.mode ?? 'disabled'

/** The answer. If the login lacks the right, the remedy begins with its name. */
async function permitted<Answer>(answer: Promise<Answer> | undefined, remedy: string) {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiFailed && error.isForbidden)
      throw new Stopped(error.message, `The login needs the right Account: D1: Edit. ${remedy}`)
    throw error
  }
}
