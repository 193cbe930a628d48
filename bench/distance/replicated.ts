import type { D1Database, D1Result } from '@cloudflare/workers-types'
import type { City } from './cities.ts'
import type { Clock } from './clock.ts'

/** A copy of the database: where it is, and the real database with its rows. */
export interface Copy {
  city: City
  /** The name of its region in `meta.served_by_region`. */
  region: string
  database: D1Database
}

export interface Model {
  clock: Clock
  primary: Copy
  /** Copies with the rows of the primary. */
  replicas: readonly Copy[]
  roundTripMs: (one: City, other: City) => number
  /** How long a write that is committed now takes to a replica. */
  lagMs: (replica: number, at_ms: number) => number
  /** How long ago somebody else has written last, when the primary is asked. By default, nobody else writes. */
  sinceOthersMs?: () => number
}

/** A write at the primary. Its position is its place in the log, from 1. */
interface Commit {
  statements: readonly StatementOfModel[]
  at_ms: number
  /** When each replica has it. */
  arrivals_ms: readonly number[]
}

/** Where a session may be answered. */
interface Place {
  city: City
  /** Whether it is answered by the primary alone. */
  isPrimary: boolean
  /** The position that the copy has to have. */
  position: number
}

/** Results of statements, and the position of the copy that answered. */
interface Trip {
  results: D1Result[]
  position: number
}

/**
 * A database of D1 with read replicas, as far as a Worker sees it
 * (https://developers.cloudflare.com/d1/best-practices/read-replication): a read is answered by the nearest copy, which waits until it
 * has the position of the session's bookmark; `first-primary` sends the first trip to the primary; a replica forwards a write to the
 * primary. Each copy is a real database. A replica executes the statements of a write when the write has arrived, in order, so it
 * answers with old rows until then. What a statement draws itself (`randomblob`) differs in a replica.
 */
export class ReplicatedDatabase {
  readonly #model: Model
  readonly #commits: Commit[] = []
  /** How many commits each replica has executed. */
  readonly #applied: number[]
  /** The last work on a copy: works follow each other, as in D1. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(model: Model) {
    this.#model = model
    this.#applied = model.replicas.map(() => 0)
  }

  /** The binding of a Worker in a city: the part of it that the service uses. With `isAlone` as without replicas. */
  near(city: City, isAlone = false) {
    return { withSession: (from = 'first-unconstrained') => new SessionOfModel(this, city, isAlone, from) }
  }

  /** Sends statements in one transaction to the copy that answers here, and waits for the answer. */
  async trip({ city, isPrimary, position }: Place, statements: readonly StatementOfModel[]): Promise<Trip> {
    const { clock, primary, replicas } = this.#model
    const copies = isPrimary ? [primary] : [primary, ...replicas]
    const distance = (copy: Copy) => this.#model.roundTripMs(city, copy.city)
    const nearest = copies.reduce((best, copy) => (distance(copy) < distance(best) ? copy : best))
    const isForwarded = nearest !== primary && statements.some(({ isWrite }) => isWrite)
    const forth_ms =
      (distance(nearest) + (isForwarded ? this.#model.roundTripMs(nearest.city, primary.city) : 0)) / 2
    await clock.wait(forth_ms)
    try {
      if (nearest === primary || isForwarded) return await this.#atPrimary(statements)
      return await this.#atReplica(replicas.indexOf(nearest), position, statements)
    } finally {
      await clock.wait(forth_ms)
    }
  }

  #atPrimary(statements: readonly StatementOfModel[]): Promise<Trip> {
    const { clock, primary, sinceOthersMs } = this.#model
    return this.#inTurn(async () => {
      const last_ms = this.#commits.at(-1)?.at_ms ?? 0
      const others_ms = clock.now_ms - (sinceOthersMs?.() ?? Number.POSITIVE_INFINITY)
      if (others_ms > last_ms) this.#append([], others_ms)
      const results = await execute(primary, statements, true)
      if (results.some(({ meta }) => meta.rows_written > 0)) this.#append(statements, clock.now_ms)
      return { results, position: this.#commits.length }
    })
  }

  async #atReplica(
    replica: number,
    position: number,
    statements: readonly StatementOfModel[],
  ): Promise<Trip> {
    const { clock, replicas } = this.#model
    const copy = replicas[replica]
    if (!copy) throw new Error(`there is no replica ${replica}`)
    const awaited_ms = this.#commits[position - 1]?.arrivals_ms[replica] ?? 0
    if (awaited_ms > clock.now_ms) await clock.wait(awaited_ms - clock.now_ms)
    return this.#inTurn(async () => {
      for (let next = this.#applied[replica] ?? 0; ; next++) {
        const commit = this.#commits[next]
        if (!commit || (commit.arrivals_ms[replica] ?? 0) > clock.now_ms) break
        if (commit.statements.length > 0) await execute(copy, commit.statements, false)
        this.#applied[replica] = next + 1
      }
      const results = await execute(copy, statements, false)
      if (results.some(({ meta }) => meta.rows_written > 0)) throw new Error('a replica was written to')
      return { results, position: this.#applied[replica] ?? 0 }
    })
  }

  #append(statements: readonly StatementOfModel[], at_ms: number): void {
    const before = this.#commits.at(-1)?.arrivals_ms ?? []
    const arrivals_ms = this.#model.replicas.map((_, replica) =>
      Math.max(before[replica] ?? 0, at_ms + this.#model.lagMs(replica, at_ms)),
    )
    this.#commits.push({ statements, at_ms, arrivals_ms })
  }

  #inTurn(work: () => Promise<Trip>): Promise<Trip> {
    const before = this.#last
    const done = this.#model.clock.during(async () => {
      await before
      return work()
    })
    this.#last = done.catch(() => {})
    return done
  }
}

/** Executes statements at a copy. The results say who has answered. */
async function execute(
  { database, region }: Copy,
  statements: readonly StatementOfModel[],
  isPrimary: boolean,
): Promise<D1Result[]> {
  const results = await database.batch(
    statements.map(({ sql, values }) => database.prepare(sql).bind(...values)),
  )
  return results.map((result) => ({
    ...result,
    meta: { ...result.meta, served_by_region: region, served_by_primary: isPrimary },
  }))
}

/** A session of D1 in the model. */
class SessionOfModel {
  readonly #database: ReplicatedDatabase
  readonly #city: City
  readonly #isAlone: boolean
  #isFirstPrimary: boolean
  /** The position that the session has seen. Undefined before that, except with a bookmark. */
  #position: number | undefined

  constructor(database: ReplicatedDatabase, city: City, isAlone: boolean, from: string) {
    this.#database = database
    this.#city = city
    this.#isAlone = isAlone
    this.#isFirstPrimary = from === 'first-primary'
    this.#position = from.startsWith('first-') ? undefined : positionOf(from)
  }

  prepare(sql: string): StatementOfModel {
    return new StatementOfModel(this, sql, [])
  }

  async batch(statements: readonly StatementOfModel[]): Promise<D1Result[]> {
    const place = {
      city: this.#city,
      isPrimary: this.#isAlone || this.#isFirstPrimary,
      position: this.#position ?? 0,
    }
    const { results, position } = await this.#database.trip(place, statements)
    this.#isFirstPrimary = false
    this.#position = Math.max(this.#position ?? 0, position)
    return results
  }

  getBookmark(): string | null {
    return this.#position === undefined ? null : bookmarkOf(this.#position)
  }
}

/** A statement of a session. */
class StatementOfModel {
  readonly sql: string
  readonly values: readonly unknown[]
  readonly #session: SessionOfModel

  constructor(session: SessionOfModel, sql: string, values: readonly unknown[]) {
    this.#session = session
    this.sql = sql
    this.values = values
  }

  bind(...values: unknown[]): StatementOfModel {
    return new StatementOfModel(this.#session, this.sql, values)
  }

  async all(): Promise<D1Result> {
    const [result] = await this.#session.batch([this])
    if (!result) throw new Error('a statement has a result')
    return result
  }

  get isWrite(): boolean {
    return WRITE.test(this.sql.replace(/'[^']*'/g, ''))
  }
}

/** The words of statements that write. */
const WRITE = /\b(INSERT|UPDATE|DELETE|REPLACE INTO)\b/i

/** A bookmark has the form of D1's. They sort by position. */
function bookmarkOf(position: number): string {
  return `${position.toString(16).padStart(8, '0')}-00000000-00000000-${'0'.repeat(32)}`
}

function positionOf(bookmark: string): number {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{8}){2}-[0-9a-f]{32}$/.test(bookmark))
    throw new Error(`no bookmark: ${bookmark}`)
  return Number.parseInt(bookmark.slice(0, 8), 16)
}
