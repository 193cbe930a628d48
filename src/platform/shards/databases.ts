import { Database } from '../db/database.ts'
import { isId, isPartition, partitionIn, partitionOf } from '../db/id.ts'
import { Session } from '../db/session.ts'
import { unavailable } from '../errors.ts'
import { type Metrics, noMetrics } from '../lib/metrics.ts'
import { type Bindings, CATALOG, databaseIn, FIRST, type Range, shardsIn } from './map.ts'
import { type Finder, PartitionRoute } from './route.ts'

/** A position in the history of a database (a D1 bookmark), with the name of the database. */
export interface Bookmark {
  database: string
  position: string
}

/** The text of `X-D1-Bookmark` for a database: its bookmark, after its name unless it is the first. Undefined before its first trip. */
export function bookmarkOf({ name, bookmark }: Database): string | undefined {
  if (bookmark === null) return undefined
  return name === FIRST ? bookmark : `${name}:${bookmark}`
}

interface Options {
  /** The configured locations of partitions (SHARDS). */
  ranges?: readonly Range[]
  timeout_ms: number
  /** Receives the counts of trips, rows and time. */
  metrics?: Metrics
  /** The bookmark that the client sent. */
  bookmark?: Bookmark | undefined
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
    const bookmark = given?.database === name ? given.position : undefined
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
