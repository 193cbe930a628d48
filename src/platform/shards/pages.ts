import type { SQL } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { partitionIn } from '../db/id.ts'
import type { Rendered } from '../db/sql.ts'
import { pooled } from '../lib/pool.ts'
import { placesIn } from './ask.ts'
import type { Databases } from './databases.ts'
import { FIRST } from './map.ts'
import { type MovingPartition, moves, type PartitionState, statesOf, whereItIs } from './partitions.ts'

/** What one database has of a page: the rows that count, in the order of the list. */
export interface Window<Row> {
  rows: Row[]
  /** The last row that the database looked at, when it may have more behind that. */
  reached: Row | undefined
}

/** A row whose id tells its partition. */
interface Listed {
  id: string
}

type PageStatement<Row> = SQL<Row> | Rendered<Row>

interface PageOf<Row> {
  /** Reads the page, with no more rows than its window has. */
  page: PageStatement<Row>
  /** Whether the database may have more behind its last row. */
  hasMore: (rows: Row[]) => boolean
}

/** What a database answered. `rows` are all of its rows. */
interface Answer<Row> {
  rows: Row[]
  moves: Map<string, MovingPartition>
  /** The names of the databases that have the partitions which were looked for here. */
  places: string[]
}

type Answers<Row> = Map<string, Answer<Row>>

/**
 * Reads the same page from every database, each from its primary. Rows of a partition that is being moved count once: those
 * of the database that has the partition or, between the two steps that hand it over, of the one that had it. With one
 * database it is one plain read.
 *
 * @throws UNAVAILABLE
 */
export async function pageOver<Row extends Listed>(
  databases: Databases,
  { page, hasMore }: PageOf<Row>,
): Promise<Window<Row>[]> {
  if (databases.isOnly) {
    const only = databases.whole(FIRST)
    only.usePrimary()
    const rows = await only.read(page)
    return [windowOf(rows, rows, hasMore)]
  }
  return windowsOf(await askedFor(databases, page, databases.names), hasMore)
}

interface PageOverHints<Row, Along> extends PageOf<Row> {
  /** The database with the hints, which may have rows of the page, too. */
  at: Database
  /** Reads the hints, and what that database knows of their partitions. */
  hints: SQL<PartitionState> | Rendered<PartitionState>
  /** With more hints than that, every database is asked. */
  maxHints?: number
  /** What is read in the same trip. */
  along?: SQL<Along>
  /** Looks at what was read along, before other databases are asked. @throws to end the reading */
  accept?: (along: Along[]) => void
}

/**
 * Reads the same page from the database that has the hints to its rows, and then at once from those that the hints lead to,
 * as `pageOver` does. With one database nobody asks for hints.
 *
 * @throws UNAVAILABLE, and what `accept` throws
 */
export async function pageOverHints<Row extends Listed, Along>(
  databases: Databases,
  { at, page, hasMore, hints, maxHints = Number.POSITIVE_INFINITY, along, accept }: PageOverHints<Row, Along>,
): Promise<Window<Row>[]> {
  at.usePrimary()
  const beside = along ?? []
  if (databases.isOnly) {
    const { beside: found, rows } = await at.read({ beside, rows: page })
    accept?.(found)
    return [windowOf(rows, rows, hasMore)]
  }
  const first = await at.read({ beside, rows: page, moves, hints })
  accept?.(first.beside)
  const { name } = at
  const places = first.hints.map((hint) => placeOf(databases, hint, name))
  const answers: Answers<Row> = new Map([[name, answerOf(first.rows, first.moves, places)]])
  const isTooMany = first.hints.length > maxHints
  const partitions = isTooMany ? [] : first.hints.map(({ partition }) => partition)
  const names = isTooMany ? databases.names : places
  return windowsOf(await askedFor(databases, page, names, partitions, answers), hasMore)
}

/**
 * The name of the database that a hinted partition is in, by what the database `name` knows. Without a row there, the
 * partition is where this isolate has found it, or in the first database: certainly not in `name`.
 */
function placeOf(databases: Databases, hint: PartitionState, name: string): string {
  const thought = databases.nameFor(hint.partition)
  if (hint.state === null && name !== FIRST && thought !== name) return thought
  const place = whereItIs([hint], name)
  if (place !== name) databases.remember(hint.partition, place)
  return place
}

function windowOf<Row>(all: Row[], rows: Row[], hasMore: (rows: Row[]) => boolean): Window<Row> {
  return { rows, reached: hasMore(all) ? all.at(-1) : undefined }
}

function windowsOf<Row extends Listed>(
  answers: Answers<Row>,
  hasMore: (rows: Row[]) => boolean,
): Window<Row>[] {
  return [...answers.values()].map((answer) =>
    windowOf(
      answer.rows,
      answer.rows.filter((row) => counts(row, answer, answers)),
      hasMore,
    ),
  )
}

function answerOf<Row>(rows: Row[], moving: MovingPartition[], places: string[]): Answer<Row> {
  return { rows, moves: new Map(moving.map((move) => [move.partition, move])), places }
}

/** The answers of these databases, and of those that have partitions which were looked for in them. */
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
    next = unasked([...answers.values()].flatMap(({ places }) => places))
  }
  await ask(namesOfEarly(answers))
  return answers
}

/** Reads the page from databases, as many at once as a Worker can, and notes their answers. */
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
    const here = partitions.filter((partition) => databases.nameFor(partition) === name)
    const answer = await db.read({ rows: page, moves, states: statesOf(here) })
    const places = placesIn(databases, { name, states: answer.states }).map((place) => place.name)
    answers.set(name, answerOf(answer.rows, answer.moves, places))
  })
}

/**
 * The databases that were asked too early: they had not taken over a partition, and the database that had it may have removed
 * rows of it before it was asked. If such a database still has not when it is asked again, the other's answer was whole.
 */
function namesOfEarly<Row>(answers: Answers<Row>): string[] {
  return [...answers]
    .filter(([, answer]) =>
      [...answer.moves.values()].some(
        ({ partition, state, moved_to }) =>
          state === 'incoming' && stateAt(answers, moved_to, partition) !== 'frozen',
      ),
    )
    .map(([name]) => name)
}

/** Whether a row counts, of a database that has, had or gets its partition. */
function counts<Row extends Listed>({ id }: Row, answer: Answer<Row>, answers: Answers<Row>): boolean {
  const partition = partitionIn(id)
  const move = answer.moves.get(partition)
  if (move?.state === 'incoming') return false
  return move?.state !== 'gone' || stateAt(answers, move.moved_to, partition) === 'incoming'
}

function stateAt<Row>(
  answers: Answers<Row>,
  name: string | null,
  partition: string,
): MovingPartition['state'] | undefined {
  return answers.get(name ?? '')?.moves.get(partition)?.state
}

/** Newest first: the order of ids, backwards. */
function newestFirst(one: Listed, other: Listed): number {
  if (one.id === other.id) return 0
  return one.id > other.id ? -1 : 1
}

/**
 * Merges what databases have of a page: up to `limit` rows in the order of the list, each once. `last` is the row after
 * which the next page begins, undefined at the end. No window is read beyond the farthest position that all of them know.
 */
export function mergedPage<Row extends Listed>(
  windows: Window<Row>[],
  limit: number,
  order: (one: Row, other: Row) => number = newestFirst,
): { rows: Row[]; last: Row | undefined } {
  const [reached] = windows.flatMap((window) => window.reached ?? []).sort(order)
  const rows = new Map(
    windows
      .flatMap((window) => window.rows)
      .filter((row) => reached === undefined || order(row, reached) <= 0)
      .sort(order)
      .map((row) => [row.id, row]),
  )
  const page = [...rows.values()].slice(0, limit)
  return { rows: page, last: rows.size > limit ? page.at(-1) : reached }
}
