import { Database } from '../db/database.ts'
import { isId, isPartition, partitionIn, partitionOf } from '../db/id.ts'
import { Session } from '../db/session.ts'
import { unavailable } from '../errors.ts'
import { type Metrics, noMetrics } from '../lib/metrics.ts'
import { type Bookmark, textOf, WRITE_TOLD } from './bookmark.ts'
import { type Bindings, CATALOG, databaseIn, FIRST, type Range, shardsIn } from './map.ts'
import { type Finder, PartitionRoute, UnfencedRoute } from './route.ts'

interface Options {
  /** The configured locations of partitions (SHARDS). */
  ranges?: readonly Range[]
  timeout_ms: number
  /** Receives the counts of trips, rows and time. */
  metrics?: Metrics
  /** The bookmark that the client sent. */
  bookmark?: Bookmark | undefined
  /** How long a client that has written reads its home from the primary, in seconds (REPLICA_LAG). */
  replica_lag?: number
}

/** The partition for text that is no id. Any partition would do: no database has a resource under such text. */
const ANY_PARTITION = '000'

/** The partitions that this isolate has found elsewhere than configured, by the binding of the first database. At most 4,096 each. */
const learned = new WeakMap<D1Database, Map<string, string>>()

/**
 * Hands out the databases to one request or one run of the job: `home` of a user and `of` an id give the database of a
 * partition, `whole` gives a database with all of its partitions (docs/scaling.md).
 */
export class Databases implements Finder {
  /** Whether one database has all partitions. */
  readonly isSingle: boolean
  /** The names of the databases with new events. src/app.ts wakes their delivery after the request, also after an error. */
  readonly eventsIn = new Set<string>()
  /**
   * The names of the databases that have marked assets, whose entries in the catalogue could not be written. src/app.ts sends a
   * message for each after the request, also after an error.
   */
  readonly marksIn = new Set<string>()
  /** The names of the databases that have partitions, the first one first. */
  readonly names: string[]
  readonly #bindings: Bindings
  readonly #options: Options
  readonly #sessions = new Map<string, Session>()
  readonly #databases = new Map<string, Database>()
  readonly #moved: Map<string, string>

  constructor(bindings: Bindings, options: Options) {
    this.#bindings = bindings
    this.#options = options
    this.names = shardsIn(bindings)
    this.isSingle = this.names.length === 1
    const first = this.#binding(FIRST)
    this.#moved = learned.get(first) ?? new Map<string, string>()
    learned.set(first, this.#moved)
  }

  /** The database of everything that belongs to this user. */
  home(user_id: string): Database {
    return this.withPartition(partitionOf(user_id))
  }

  /**
   * The database of the resource with this id. Text that is no id of the service's gets ANY_PARTITION: the partition in a
   * forged id may not exist.
   */
  of(id: string): Database {
    return this.withPartition(isId(id) ? partitionIn(id) : ANY_PARTITION)
  }

  /** The database that has this partition (three hexadecimal digits). */
  withPartition(partition: string): Database {
    const known = this.#databases.get(partition)
    if (known) return known
    const database = new Database(new PartitionRoute(this, this.session(this.nameFor(partition)), partition))
    this.#databases.set(partition, database)
    return database
  }

  /** The name of the database where a partition is expected. */
  nameFor(partition: string): string {
    return this.#moved.get(partition) ?? databaseIn(this.#options.ranges ?? [], partition)
  }

  /** Whether the resources with these two ids are certainly in one database. */
  areTogether(id: string, other_id: string): boolean {
    return this.isSingle || partitionIn(id) === partitionIn(other_id)
  }

  /** A whole database, for the job, operators and pages over all: its writes are refused while a partition of it moves. */
  whole(name: string): Database {
    return new Database(new PartitionRoute(this, this.session(name)))
  }

  /** The session of the database with this name, one for each request. @throws UNAVAILABLE when no database is bound by it */
  session(name: string): Session {
    const known = this.#sessions.get(name)
    if (known) return known
    const { timeout_ms, bookmark: given, metrics = noMetrics() } = this.#options
    const isBehind = this.#hasWrittenWithin(this.#options.replica_lag ?? 0)
    const bookmark = given?.database === name && !isBehind ? given.position : undefined
    const session = new Session(name, this.#binding(name), { timeout_ms, metrics, bookmark })
    this.#sessions.set(name, session)
    return session
  }

  /**
   * A whole database without fences, for the mover and for tasks that take rows of open partitions only. Every trip goes to
   * the primary, so an answer includes every write that was committed before the trip.
   */
  unfenced(name: string): Session {
    const session = this.session(name)
    session.stayOnPrimary()
    return session
  }

  /** The first database, for what belongs to no user. */
  get first(): Session {
    return this.unfenced(FIRST)
  }

  /** The same as a database, whose batches may write events. */
  get common(): Database {
    return new Database(new UnfencedRoute(this, this.first))
  }

  /** The name of the database that has the catalogue. */
  get catalogueName(): string {
    return this.#bindings[CATALOG] ? CATALOG : FIRST
  }

  /**
   * The database that has the catalogue. Every trip goes to the primary, so that no answer has an entry that was just removed.
   */
  get catalogue(): Session {
    return this.unfenced(this.catalogueName)
  }

  /**
   * The database that has the catalogue, as of `bookmark` or later, on the nearest replica that has it. The primary without a bookmark,
   * and for a client that has sent none or has written within WRITE_TOLD, so that it sees what it has just changed.
   */
  catalogueFrom(bookmark: string | undefined): Session {
    const isNear = this.#options.bookmark !== undefined && !this.#hasWrittenWithin(WRITE_TOLD)
    if (bookmark === undefined || !isNear) return this.catalogue
    const session = this.session(this.catalogueName)
    session.useReplicaFrom(bookmark)
    return session
  }

  /**
   * The text of `X-D1-Bookmark` of the answer: what this request has seen of the caller's home, or the caller before it, and the time of
   * the caller's last write, in whatever database, while it is young. Undefined when neither has seen anything.
   */
  bookmarkAfter(home: Database): string | undefined {
    const { bookmark: sent, replica_lag = 0 } = this.#options
    const seen = home.bookmark === null ? sent : { database: home.name, position: home.bookmark }
    if (seen === undefined) return undefined
    const hasWritten = [...this.#sessions.values()].some((session) => session.hasWritten)
    const isYoung = this.#hasWrittenWithin(Math.max(replica_lag, WRITE_TOLD))
    const earlier = isYoung ? sent?.written_at : undefined
    return textOf({ ...seen, written_at: hasWritten ? Math.floor(Date.now() / 1_000) : earlier })
  }

  /** Whether the client had written in the last `lag` seconds when it sent the request. A clock that is ahead counts as well. */
  #hasWrittenWithin(lag: number): boolean {
    const written_at = this.#options.bookmark?.written_at
    return written_at !== undefined && Math.abs(Date.now() / 1_000 - written_at) < lag
  }

  /** Remembers the database of a partition in this isolate. Ignores text that is no partition. */
  remember(partition: string, name: string): void {
    if (isPartition(partition)) this.#moved.set(partition, name)
    this.#databases.delete(partition)
  }

  /** How many statements have been sent to all databases. */
  get statements(): number {
    return [...this.#sessions.values()].reduce((sum, session) => sum + session.statements, 0)
  }

  #binding(name: string): D1Database {
    const binding = this.#bindings[name]
    if (!binding)
      throw unavailable(
        'These data are in a database that this version of the service does not know. Try again.',
        new Error(`the database ${name} is not bound: add it to wrangler.toml and deploy`),
      )
    return binding
  }
}
