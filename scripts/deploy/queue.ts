/** The queue that wakes the delivery of events, when the settings name one. */
import type { Deployment } from './deployment.ts'
import type { Step } from './step.ts'
import { WranglerFailed } from './wrangler.ts'

/** What wrangler says when there is no such queue. */
const NO_QUEUE = /Queue ".*" does not exist/

/** Creates the queue if it is missing. The deployment of the Worker makes it the queue's producer and consumer. */
export function queue(deployment: Deployment): Step {
  const { wrangler, settings, isLoggedIn } = deployment
  const name = settings.queue
  return {
    name: 'Queue',
    isDone: name === undefined ? 'none: there are no events' : `${name} exists`,
    remedy: 'Look at the queues with npx wrangler queues list, and run the command again.',
    plan: async () => {
      if (name === undefined || (isLoggedIn && (await exists(deployment, name)))) return []
      const place = settings.jurisdiction === undefined ? [] : ['--jurisdiction', settings.jurisdiction]
      const create = async () => {
        await wrangler.run(['queues', 'create', name, ...place])
      }
      return [{ says: `creates the queue ${name}`, act: create }]
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
