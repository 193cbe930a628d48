import { inject } from 'vitest'

/** How a receiver of webhooks answers a POST. */
export interface Behaviour {
  /** `hang`: it never answers. */
  does?: 'answer' | 'hang'
  status?: number
  headers?: Record<string, string>
  /** Applies only to bodies that contain this text; others get a 204. */
  about?: string
}

/** A received POST. */
export interface Arrival {
  headers: Record<string, string>
  body: string
}

/** A studio's server that receives webhooks: a real HTTP server outside of the Workers runtime (receiver-server.ts). */
export class Receiver {
  readonly url = `${inject('receiver').url}/${crypto.randomUUID()}`

  /** Sets the answer to later webhooks. */
  async does(behaviour: Behaviour): Promise<void> {
    await fetch(this.url, { method: 'PUT', body: JSON.stringify(behaviour) })
  }

  async arrivals(): Promise<Arrival[]> {
    return (await fetch(this.url)).json()
  }

  /** The ids of the events that have arrived, in their order. */
  async ids(): Promise<string[]> {
    return (await this.arrivals()).map(({ headers }) => headers['webhook-id'] ?? '')
  }
}
