import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { layOutOf } from '../../scripts/partition-layout.ts'
import { knownAnnouncements } from '../../src/features/announcements/known.ts'
import { knownRecalls } from '../../src/features/saves/recalls/known.ts'
import { configuration } from '../../src/platform/config/configuration.ts'
import { partitionIn, partitionNumber } from '../../src/platform/db/id.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { type Bindings, CATALOG, databasesOf, FIRST, shardsIn } from '../../src/platform/shards/map.ts'
import { migrate } from './migrated.ts'

const bound = databasesOf(env)

/** The database of the next user. Each file begins with the first one, and users in a row are in different databases. */
let next = 0

/** The names of the databases that have partitions, the first one first. */
export const databaseNames = shardsIn(bound)

/** The database that has the catalogue. */
export const catalogueDatabase = bound[CATALOG] ?? env.DB

/** Whether the catalogue has a database of its own, and so is far from every asset. */
export const isCatalogueApart = bound[CATALOG] !== undefined

/** Every database that has partitions. */
export const everyDatabase = Object.entries(bound).flatMap(([name, database]) =>
  name === CATALOG ? [] : [database],
)

/** Removes everything that is stored, and creates the databases as for a new service. */
export async function startOver(): Promise<void> {
  next = 0
  await clear()
  await layOut()
  forgetLists()
}

/**
 * Makes the isolate that test files share forget the announcements and the recalls of an earlier file, which it would pass to each
 * object for a minute. A list that was read at another time than now is not known.
 */
function forgetLists(): void {
  const { config } = configuration(env)
  const other_ms = Date.now() + 60 * 60 * 1_000
  if (!config) return
  knownAnnouncements.keep({ config, now_ms: other_ms }, { version: 0, announcements: [] })
  knownRecalls.keep({ config, now_ms: other_ms }, { version: 0, recalls: [] })
}

/**
 * Makes the tables of every database, and lays out the partitions: partition p is in database p % databases. The
 * service is configured without `SHARDS`, so the first request for a partition finds that it has moved, and its isolate
 * remembers it.
 */
async function layOut(): Promise<void> {
  const count = everyDatabase.length
  for (const [index, database] of everyDatabase.entries()) {
    await migrate(database)
    for (const statement of layOutOf(index, count)) await database.prepare(statement).run()
  }
  if (bound[CATALOG]) await migrate(bound[CATALOG])
}

/**
 * Removes all that is stored: the test files of a worker share its runtime, one after another. `reset` removes what the
 * runtime has open, so each database and the bucket are asked for something first; inboxes of earlier tests may stay.
 */
async function clear(): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await isClear()) return
    await reset()
  }
  if (!(await isClear())) throw new Error('not everything was cleared')
}

/** `reset` is repeated, because calls that an earlier test left under way may still write. */
const MAX_TRIES = 5

async function isClear(): Promise<boolean> {
  const [{ objects }, ...tables] = await Promise.all([
    env.BUCKET.list(),
    ...Object.values(bound).map(countOfTables),
  ])
  return objects.length === 0 && tables.every((count) => count === 0)
}

async function countOfTables(database: D1Database): Promise<number> {
  const query = 'SELECT count(*) AS count FROM sqlite_schema'
  return (await database.prepare(query).first<number>('count')) ?? 0
}

/** The place of a user's database among all, as it is laid out. */
export function placeOf(user_id: string): number {
  return partitionNumber(user_id) % everyDatabase.length
}

/** The database of a user, as it is laid out. */
export function homeOf(user_id: string): D1Database {
  return everyDatabase[placeOf(user_id)] ?? env.DB
}

/** The database of the resource with this id, as it is laid out. */
export function databaseOf(id: string): D1Database {
  return everyDatabase[Number.parseInt(partitionIn(id), 16) % everyDatabase.length] ?? env.DB
}

/** The bindings of all databases, each of them changed. */
export function overEvery(change: (database: D1Database) => D1Database): Bindings & { DB: D1Database } {
  const changed = Object.entries(bound).map(([name, database]) => [name, change(database)])
  return { DB: change(env.DB), ...Object.fromEntries(changed) }
}

/** Makes this isolate remember the location of each partition, for tests that count the cost of a request. */
export function learnLayOut(bindings: Bindings): void {
  const databases = new Databases(bindings, { timeout_ms: 1_000 })
  for (let partition = 0; partition < 4_096; partition++)
    databases.remember(
      partition.toString(16).padStart(3, '0'),
      databaseNames[partition % databaseNames.length] ?? FIRST,
    )
}

/**
 * The database that has each of these partitions now. A partition that is being handed over is in none.
 *
 * @throws when two databases have one
 */
export async function holdersOf(partitions: readonly string[]): Promise<Map<string, D1Database>> {
  const holders = new Map<string, D1Database>()
  const answers = Object.entries(bound).map(async ([name, database]) => {
    const { results } = await database
      .prepare(
        `SELECT value AS partition, coalesce(state, ?2) AS state FROM json_each(?1) LEFT JOIN partitions ON partition = value`,
      )
      .bind(JSON.stringify(partitions), name === FIRST ? 'open' : 'gone')
      .all<{ partition: string; state: string }>()
    return { database, results }
  })
  for (const { database, results } of await Promise.all(answers))
    for (const { partition, state } of results) {
      if (state !== 'open' && state !== 'frozen') continue
      if (holders.has(partition)) throw new Error(`two databases have the partition ${partition}`)
      holders.set(partition, database)
    }
  return holders
}

/** Whether partitions are being moved. */
export async function isMoving(): Promise<boolean> {
  return everyDatabase.length > 1 && (await countOf('moves')) > 0
}

/** Runs a statement in every database. Returns the rows of all. */
export async function everywhere<Row = Record<string, unknown>>(
  statement: string,
  ...values: unknown[]
): Promise<Row[]> {
  return (await allEverywhere<Row>([statement], ...values)).flat()
}

/** Runs statements with the same parameters in every database, in one batch. Returns the rows of each statement. */
export async function allEverywhere<Row = Record<string, unknown>>(
  statements: readonly string[],
  ...values: unknown[]
): Promise<Row[][]> {
  const answers = await Promise.all(
    everyDatabase.map((database) =>
      database.batch<Row>(statements.map((statement) => database.prepare(statement).bind(...values))),
    ),
  )
  return statements.map((_, index) => answers.flatMap((answer) => answer[index]?.results ?? []))
}

/** How many rows there are in all databases: `countOf('files WHERE owner_id = ?', owner_id)`. */
export async function countOf(from: string, ...values: unknown[]): Promise<number> {
  const counts = await everywhere<{ count: number }>(`SELECT count(*) AS count FROM ${from}`, ...values)
  return counts.reduce((sum, { count }) => sum + count, 0)
}

/** Makes user ids until one is in the next database. */
export function inTurn(newId: () => string): string {
  return inDatabase(databaseNames[next++ % databaseNames.length] ?? FIRST, newId)
}

/** Makes user ids until one is in the database of this name. */
export function inDatabase(name: string, newId: () => string): string {
  let id = newId()
  while (databaseNames[placeOf(id)] !== name) id = newId()
  return id
}
