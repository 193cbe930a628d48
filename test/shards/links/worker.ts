import { env } from 'cloudflare:workers'
import type { JobContext, RequestContext } from '../../../src/platform/context.ts'
import { partitionOf } from '../../../src/platform/db/id.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import type { Databases } from '../../../src/platform/shards/databases.ts'
import { contextOf, databasesOver } from '../../support/context.ts'
import { holdersOf, overEvery } from '../../support/databases.ts'
import { overridden } from '../../support/meter.ts'
import { mover } from '../../support/moving.ts'
import { jobIn } from '../../support/objects.ts'
import { withSessions } from '../../support/outgoing.ts'
import type { Clock } from './clock.ts'

/** What happens at one of a Worker's calls: it dies before it or after it, or lives on without the answer. */
export interface Trouble {
  at: number
  kind: 'dies before' | 'dies after' | 'hears nothing'
}

/** A Worker waits for others' turns within a call: no timeout may end that. */
const PATIENCE_MS = 600_000

/** What a Worker came to: `done`, `died`, or the code that it was refused with. */
type Came = string

/**
 * A Worker in an isolate of its own: it waits for its turn before each call to D1 or R2, may die at one, and has been told
 * where partitions are, rightly or wrongly.
 */
export class Worker {
  readonly #wait: () => Promise<void>
  readonly #trouble: Trouble | undefined
  readonly #clock: Clock
  readonly #bindings: ReturnType<typeof overEvery>
  readonly #databases: Databases
  /** The statements behind those that wait for their turn. */
  readonly #plain = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  #calls = 0
  #isDead = false

  constructor(wait: () => Promise<void>, trouble: Trouble | undefined, clock: Clock) {
    this.#wait = wait
    this.#trouble = trouble
    this.#clock = clock
    this.#bindings = overEvery((database) =>
      withSessions(database, (session) => ({
        prepare: (query: string) => this.#statement(session.prepare(query)),
        batch: (statements: D1PreparedStatement[]) =>
          this.#call(() => session.batch(statements.map((one) => this.#plain.get(one) ?? one))),
      })),
    )
    this.#databases = databasesOver(this.#bindings, { timeout_ms: PATIENCE_MS })
  }

  /** Tells this Worker where partitions are thought to be. */
  tell(places: ReadonlyMap<string, string>): this {
    for (const [partition, name] of places) this.#databases.remember(partition, name)
    return this
  }

  /** A request of a user's. */
  request(user_id: string): RequestContext {
    const { bucket } = this
    const different = { databases: this.#databases, bucket, now_ms: this.#clock.now_ms }
    return contextOf(user_id, different, { CALL_TIMEOUT_MS: PATIENCE_MS })
  }

  /** A run of a database's job. */
  job(name: string): JobContext {
    const { bucket } = this
    const databases = this.#databases
    const patient = { CALL_TIMEOUT_MS: PATIENCE_MS }
    return {
      ...jobIn(0, name, patient),
      databases,
      db: databases.whole(name),
      bucket,
      now_ms: this.#clock.now_ms,
    }
  }

  /** A mover of partitions. */
  get mover(): ReturnType<typeof mover> {
    return mover(undefined, this.#bindings)
  }

  get bucket(): R2Bucket {
    const bucket = this.#clock.stamped(env.BUCKET)
    const called =
      <Args extends unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
      (...args: Args) =>
        this.#call(() => method.apply(bucket, args))
    return overridden(bucket, {
      head: called(bucket.head),
      put: called(bucket.put),
      delete: called(bucket.delete),
      list: called(bucket.list),
    })
  }

  /** What became of something that this Worker did. An error that is no refusal fails the proof. */
  async cameOf(act: Promise<unknown>): Promise<Came> {
    try {
      await act
      return this.#isDead ? 'died' : 'done'
    } catch (error) {
      if (this.#isDead) return 'died'
      if (error instanceof ApiError && error.code !== 'INTERNAL') return error.code
      if (this.#trouble && this.#calls >= this.#trouble.at) return 'died'
      throw error
    }
  }

  #statement(statement: D1PreparedStatement): D1PreparedStatement {
    const called = overridden(statement, {
      bind: (...values: unknown[]) => this.#statement(statement.bind(...values)),
      all: () => this.#call(() => statement.all()),
    })
    this.#plain.set(called, statement)
    return called
  }

  async #call<Answer>(act: () => Promise<Answer>): Promise<Answer> {
    await this.#wait()
    this.#calls++
    const kind = this.#calls === this.#trouble?.at ? this.#trouble.kind : undefined
    if (kind === 'dies before') this.#isDead = true
    if (this.#isDead) throw new Error('killed')
    const answer = await act()
    if (kind === 'dies after') this.#isDead = true
    if (kind !== undefined) throw new Error('D1_ERROR: Network connection lost.')
    return answer
  }
}

/** Where users' partitions are. One that is just being handed over is nowhere. */
export async function placesOf(users: readonly string[]): Promise<Map<string, string>> {
  const holders = await holdersOf([...new Set(users.map(partitionOf))])
  const bound = databasesOver().names
  const byBinding = new Map(bound.map((name) => [Reflect.get(env, name), name]))
  return new Map([...holders].map(([partition, database]) => [partition, byBinding.get(database) ?? '']))
}
