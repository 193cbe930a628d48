import { env } from 'cloudflare:test'
import { handle } from '../../src/janitor/consume.ts'
import type { DeliveryContext } from '../../src/operators/events/deliver.ts'
import { wakeAfterJob } from '../../src/operators/events/tasks.ts'
import type { Message as Body } from '../../src/platform/config/message.ts'
import type { Session } from '../../src/platform/db/session.ts'
import { databasesOver } from '../support/context.ts'
import { databaseNames } from '../support/databases.ts'
import { outboxRows } from '../support/delivery.ts'
import { overridden } from '../support/meter.ts'
import type { Around } from '../support/mortal.ts'
import { jobIn } from '../support/objects.ts'

/** A message in the queue, and the earliest time of its delivery, in Unix seconds. */
interface Queued {
  body: unknown
  from: number
}

/** How often the job runs, in seconds. */
const JOB_INTERVAL = 300

/**
 * A queue with its consumer and the job, on a clock that tests set. A consumer may be killed; its messages are then delivered
 * again, as on the platform.
 */
export class SimulatedQueue {
  messages: Queued[] = []
  clock: number
  #nextJob = 0
  readonly #delivery: Omit<DeliveryContext, 'queue' | 'now_ms'>

  constructor(delivery: Omit<DeliveryContext, 'queue' | 'now_ms'>, clock: number) {
    this.#delivery = delivery
    this.clock = clock
  }

  /** As a producer's binding. */
  get binding() {
    return {
      send: async (body: Body, { delaySeconds = 0 } = {}) => {
        this.messages.push({ body, from: this.clock + delaySeconds })
      },
      sendBatch: async (batch: Iterable<{ body: Body }>) => {
        for (const { body } of batch) this.messages.push({ body, from: this.clock })
      },
    }
  }

  /** Delivers due messages to a consumer whose calls are wrapped. @throws the consumer's error */
  async consume(around: Around = (call) => call): Promise<void> {
    const due = this.messages.filter(({ from }) => from <= this.clock)
    this.messages = this.messages.filter(({ from }) => from > this.clock)
    const unended = new Set(due)
    const batch = due.map((queued, index) => ({
      id: String(index),
      timestamp: new Date(this.clock * 1_000),
      body: queued.body,
      attempts: 1,
      ack: () => unended.delete(queued),
      retry: ({ delaySeconds = 0 } = {}) => {
        unended.delete(queued)
        this.messages.push({ body: queued.body, from: this.clock + delaySeconds })
      },
    }))
    try {
      await handle(this.#contextWith(around), batch)
    } finally {
      this.messages.push(...unended)
    }
  }

  /** Runs the job's part for events in every database, at the time of the queue. */
  async job(): Promise<void> {
    for (const name of databaseNames)
      await wakeAfterJob(
        { ...jobIn(0, name), config: this.#delivery.config, now_ms: this.clock * 1_000 },
        overridden(env.EVENTS, this.binding),
      )
  }

  /** Consumes until no event waits, while time passes and the job runs, for at most `days` days. */
  async settle(days = 1): Promise<void> {
    const end = this.clock + days * 86_400
    for (;;) {
      await this.consume()
      if ((await outboxRows()).every(({ parked_at }) => parked_at !== null)) return
      if (this.clock >= end) throw new Error('events wait for longer than they should')
      const next = Math.min(...this.messages.map(({ from }) => from), this.#nextJob)
      this.clock = Math.max(next, this.clock)
      if (this.clock < this.#nextJob) continue
      await this.job()
      this.#nextJob = this.clock + JOB_INTERVAL
    }
  }

  #contextWith(around: Around): DeliveryContext {
    const databases = databasesOver()
    const send = around(this.binding.send)
    const mortal = (session: Session) => overridden(session, { send: around(session.send.bind(session)) })
    return {
      ...this.#delivery,
      databases: overridden(databases, {
        unfenced: (name: string) => mortal(databases.unfenced(name)),
      }),
      queue: { send },
      post: around(this.#delivery.post),
      now_ms: () => this.clock * 1_000,
    }
  }
}
