/** Wrangler's login, and the account to deploy into. */
import { z } from 'zod'
import type { Deployment } from './deployment.ts'
import { note, type Step, Stopped } from './step.ts'
import { WranglerFailed } from './wrangler.ts'

const WhoAmI = z.object({ accounts: z.array(z.object({ id: z.string(), name: z.string() })) })

const REMEDY = `Run npx wrangler login. In CI set CLOUDFLARE_API_TOKEN to a token with the rights that docs/upgrading.md lists.`

/** Checks the login, and writes the account into the settings if there is only one. */
export function login(deployment: Deployment): Step {
  const { wrangler, settings, file } = deployment
  return {
    name: 'Login',
    remedy: REMEDY,
    doneMessage: settings.account_id === undefined ? 'nobody' : `account ${settings.account_id}`,
    plan: async () => {
      const accounts = await accountsOf(deployment)
      deployment.isLoggedIn = accounts !== undefined
      if (accounts === undefined) {
        if (!deployment.isDryRun) throw new Stopped('wrangler is not logged in.', REMEDY)
        note('wrangler is not logged in, so what exists is not known: all steps are shown.')
        return []
      }
      const list = accounts.map(({ id, name }) => `${id}  ${name}`).join('\n')
      if (settings.account_id !== undefined) {
        // A narrow token may not list accounts, and shows none.
        if (accounts.length > 0 && !accounts.some(({ id }) => id === settings.account_id))
          throw new Stopped(`${settings.account_id} is none of your accounts:\n${list}`, REMEDY)
        return []
      }
      const [only, ...others] = accounts
      if (only === undefined || others.length > 0)
        throw new Stopped(
          `You have ${accounts.length} accounts:\n${list}`,
          `Write the id of the one to deploy into as account_id into ${file}.`,
        )
      wrangler.account_id = only.id
      const says = `writes the account into ${file}: ${only.id}, ${only.name}`
      return [{ says, act: async () => deployment.note({ account_id: only.id }) }]
    },
  }
}

/** The accounts of wrangler's login; undefined when nobody is logged in. */
async function accountsOf({ wrangler }: Deployment) {
  try {
    return WhoAmI.parse(await wrangler.json(['whoami', '--json'])).accounts
  } catch (error) {
    if (error instanceof WranglerFailed && /"loggedIn":\s*false/.test(error.message)) return undefined
    throw error
  }
}
