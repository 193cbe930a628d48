import { z } from '@hono/zod-openapi'

const numbers = { seq: z.int(), unread: z.int() }
const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), seq: z.int() }),
  z.object({ type: z.literal('notification'), ...numbers, data: z.object({ id: z.string() }) }),
  z.object({ type: z.literal('notifications_read'), ...numbers }),
  z.object({
    type: z.literal('notification_deleted'),
    ...numbers,
    data: z.object({ notification_id: z.string() }),
  }),
  z.object({
    type: z.literal('notifications_deleted'),
    ...numbers,
    data: z.object({ notification_ids: z.array(z.string()).nullable() }),
  }),
  z.object({ type: z.literal('signal') }),
])

/** The life of a notification, in seqs of its inbox. */
interface Life {
  published: number
  deleted: number
}

/** A device whose network is never cut, from the beginning of an inbox: it knows all that has happened there. */
export class Observer {
  /** By id, in the order of their publication. */
  readonly lives = new Map<string, Life>()
  /** By seq: how many were unread, and how many there were. */
  readonly counts: [unread: number, total: number][] = [[0, 0]]
  /** The last seq of which it was told. */
  seq = 0
  /** Why what it knows is of no use. */
  fault: string | undefined
  readonly #url: string
  readonly #token: string
  #socket: WebSocket | undefined

  private constructor(origin: string, token: string) {
    this.#url = `${origin.replace('http', 'ws')}/v1/notifications/ws`
    this.#token = token
  }

  /** Connects to an inbox in which nothing has happened. */
  static async open(origin: string, token: string): Promise<Observer> {
    const observer = new Observer(origin, token)
    await new Promise<void>((resolve) => observer.#connect(resolve))
    return observer
  }

  close(): void {
    if (this.#socket) this.#socket.onclose = null
    this.#socket?.close()
  }

  /** Goes on where the last socket ended: that of the device is cut so often that its remains may take this one's place. */
  #connect(isReady = () => {}): void {
    const protocols = ['notifications.v1', `bearer.${this.#token}`]
    this.#socket = new WebSocket(`${this.#url}?after=${this.seq}`, protocols)
    this.#socket.onmessage = ({ data }) => {
      this.#receive(Event.parse(JSON.parse(data)))
      isReady()
    }
    this.#socket.onclose = () => this.#connect(isReady)
  }

  #receive(event: z.output<typeof Event>): void {
    if (event.type === 'ready') {
      if (event.seq !== this.seq) this.fault = `what followed ${this.seq} is no longer kept`
      return
    }
    if (event.type === 'signal') return
    const total = this.counts[this.seq]?.[1] ?? 0
    if (event.seq !== this.seq + 1) this.fault = `${event.seq} followed ${this.seq}`
    this.seq = event.seq
    if (event.type === 'notification')
      this.lives.set(event.data.id, { published: event.seq, deleted: Number.POSITIVE_INFINITY })
    const deleted = this.#deletedBy(event)
    for (const life of deleted) life.deleted = event.seq
    this.counts[event.seq] = [event.unread, total - deleted.length + (event.type === 'notification' ? 1 : 0)]
  }

  /** The lives that an event ends. */
  #deletedBy(event: z.output<typeof Event>): Life[] {
    const livesOf = (ids: string[]) => ids.flatMap((id) => this.lives.get(id) ?? [])
    if (event.type === 'notification_deleted') return livesOf([event.data.notification_id])
    if (event.type !== 'notifications_deleted') return []
    const { notification_ids } = event.data
    if (notification_ids !== null) return livesOf(notification_ids)
    return [...this.lives.values()].filter(({ deleted }) => deleted === Number.POSITIVE_INFINITY)
  }
}
