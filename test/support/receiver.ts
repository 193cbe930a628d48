import { inject } from 'vitest'

/** What a receiver of webhooks does with a POST. */
export interface Behaviour {
  /** `hang`: it never answers. */
  does?: 'answer' | 'hang'
  status?: number
  headers?: Record<string, string>
  /** Only to bodies that hold this text; to others it answers 204. */
  about?: string
}

/** A POST as it has arrived. */
export interface Arrival {
  headers: Record<string, string>
  body: string
}

/** A studio's server that takes webhooks: a real one, which runs beside the tests (receiver-server.ts). */
export class Receiver {
  readonly url = `${inject('receiver').url}/${crypto.randomUUID()}`

  /** Has it do this from now on. */
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
