/** The queues of events and of checks, when the settings name them. */
import type { Deployment } from './deployment.ts'
import type { Step } from './step.ts'
import { WranglerFailed } from './wrangler.ts'

/** wrangler's message for a missing queue. */
const NO_QUEUE = /Queue ".*" does not exist/

/** Creates the missing queues. Deploying the Worker makes it their producer and consumer. */
export function queues(deployment: Deployment): Step {
  const { wrangler, settings, isLoggedIn } = deployment
  const names = [settings.queue, settings.check_queue].filter((name) => name !== undefined)
  return {
    name: 'Queues',
    doneMessage:
      names.length === 0 ? 'none: there are no events and no checks' : `${names.join(' and ')}: there`,
    remedy: 'Look at the queues with npx wrangler queues list, and run the command again.',
    plan: async () => {
      const place = settings.jurisdiction === undefined ? [] : ['--jurisdiction', settings.jurisdiction]
      const actions = []
      for (const name of names) {
        if (isLoggedIn && (await exists(deployment, name))) continue
        const act = async () => {
          await wrangler.run(['queues', 'create', name, ...place])
        }
        actions.push({ says: `creates the queue ${name}`, act })
      }
      return actions
    },
  }
}

async function exists({ wrangler }: Deployment, name: string): Promise<boolean> {
  try {
    await wrangler.run(['queues', 'info', name])
    return true
  } catch (error) {
    if (error instanceof WranglerFailed && NO_QUEUE.test(error.message)) return false
    throw error
  }
}
