import type { SQL } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Prepared } from '../db/sql.ts'
import { pooled } from '../lib/pool.ts'
import { locationsIn } from './ask.ts'
import type { Databases } from './databases.ts'
import { FIRST } from './map.ts'
import {
  locationFrom,
  type MovingPartition,
  movingPartitions,
  type PartitionState,
  statesOf,
} from './partitions.ts'
import {
  type Answer,
  type Answers,
  type Listed,
  namesOfEarly,
  type Window,
  windowOf,
  windowsOf,
} from './windows.ts'

type PageStatement<Row> = SQL<Row> | Prepared<Row>

interface PageOf<Row> {
  /** Reads the page, with no more rows than its window has. */
  page: PageStatement<Row>
  /** Whether a database that answered these rows may have more after them. */
  hasMore: (rows: Row[]) => boolean
}

/**
 * Reads the same page from every database, each from its primary. Rows of a partition that is being moved count once: those
 * of the database that has the partition or, between the two steps that hand it over, of its source. With one database it is
 * one plain read.
 *
 * @throws UNAVAILABLE
 */
export async function pageOver<Row extends Listed>(
  databases: Databases,
  { page, hasMore }: PageOf<Row>,
): Promise<Window<Row>[]> {
  if (databases.isSingle) {
    const single = databases.whole(FIRST)
    single.usePrimary()
    const rows = await single.read(page)
    return [windowOf(rows, rows, hasMore)]
  }
  return windowsOf(await askedFor(databases, page, databases.names), hasMore)
}

interface PageOverHints<Row, Along> extends PageOf<Row> {
  /** The database with the hints, which may have rows of the page, too. */
  at: Database
  /** The statement that reads the hints, with the states of their partitions in that database. */
  hints: () => SQL<PartitionState> | Prepared<PartitionState>
  /** With more hints, every database is asked. */
  maxHints?: number
  /** A statement for the same trip. */
  along?: PageStatement<Along>
  /** Receives the rows of `along` before other databases are asked. @throws to end the reading */
  accept?: (along: Along[]) => void
}

/**
 * Reads the same page from the database that has the hints to its rows, and then at once from those that the hints lead to,
 * as `pageOver` does. With one database no hints are read.
 *
 * @throws UNAVAILABLE, and what `accept` throws
 */
export async function pageOverHints<Row extends Listed, Along>(
  databases: Databases,
  { at, page, hasMore, hints, maxHints = Number.POSITIVE_INFINITY, along, accept }: PageOverHints<Row, Along>,
): Promise<Window<Row>[]> {
  at.usePrimary()
  const beside = along ?? []
  if (databases.isSingle) {
    const { beside: found, rows } = await at.read({ beside, rows: page })
    accept?.(found)
    return [windowOf(rows, rows, hasMore)]
  }
  const first = await at.read({ beside, rows: page, moving: movingPartitions, hints: hints() })
  accept?.(first.beside)
  const { name } = at
  const locations = first.hints.map((hint) => locationOf(databases, hint, name))
  const answers: Answers<Row> = new Map([[name, answerOf(first.rows, first.moving, locations)]])
  const isTooMany = first.hints.length > maxHints
  const partitions = isTooMany ? [] : first.hints.map(({ partition }) => partition)
  const names = isTooMany ? databases.names : locations
  return windowsOf(await askedFor(databases, page, names, partitions, answers), hasMore)
}

/**
 * The name of the database where a hinted partition is expected. `name` is the database with the hint: when it has no row for
 * the partition, the partition is where this isolate expects it, or in the first database, and certainly not in `name`.
 */
function locationOf(databases: Databases, hint: PartitionState, name: string): string {
  const expected = databases.nameFor(hint.partition)
  if (hint.state === null && name !== FIRST && expected !== name) return expected
  const location = locationFrom([hint], name)
  if (location !== name) databases.remember(hint.partition, location)
  return location
}

function answerOf<Row>(rows: Row[], moving: MovingPartition[], locations: string[]): Answer<Row> {
  return { rows, moving: new Map(moving.map((known) => [known.partition, known])), locations }
}

/** The answers of these databases, and of those to which the `partitions` that were looked for in them have moved. */
async function askedFor<Row extends Listed>(
  databases: Databases,
  page: PageStatement<Row>,
  names: readonly string[],
  partitions: readonly string[] = [],
  answers: Answers<Row> = new Map(),
): Promise<Answers<Row>> {
  const ask = (some: string[]) => readFrom(databases, some, page, partitions, answers)
  const unasked = (some: Iterable<string>) => [...new Set(some)].filter((name) => !answers.has(name))
  for (let next = unasked(names); next.length > 0; ) {
    await ask(next)
    next = unasked([...answers.values()].flatMap(({ locations }) => locations))
  }
  await ask(namesOfEarly(answers))
  return answers
}

/** Reads the page from these databases, as many at once as a Worker can, and adds their answers to `answers`. */
async function readFrom<Row>(
  databases: Databases,
  names: string[],
  page: PageStatement<Row>,
  partitions: readonly string[],
  answers: Answers<Row>,
): Promise<void> {
  await pooled(names, async (name) => {
    const db = databases.whole(name)
    db.usePrimary()
    const expected = partitions.filter((partition) => databases.nameFor(partition) === name)
    const answer = await db.read({ rows: page, moving: movingPartitions, states: statesOf(expected) })
    const locations = locationsIn(databases, { name, states: answer.states }).map((location) => location.name)
    answers.set(name, answerOf(answer.rows, answer.moving, locations))
  })
}
