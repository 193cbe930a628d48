import { WorkerEntrypoint } from 'cloudflare:workers'

/**
 * A Worker of the studio's that notifies players over a service binding (vitest.config.ts), as its social service
 * would: there is no token, and the binding says who it is. Tells what the service came to, as seen from here.
 */
export default class Publisher extends WorkerEntrypoint {
  publishAll(...publications) {
    return this.env.NOTIFICATIONS.publishAll(...publications).catch(({ name, message, code }) => ({
      error: { name, message, code },
    }))
  }

  async publish(...publication) {
    try {
      return { notification: await this.env.NOTIFICATIONS.publish(...publication) }
    } catch ({ name, message, code }) {
      return { error: { name, message, code } }
    }
  }
}
