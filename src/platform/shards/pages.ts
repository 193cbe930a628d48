import type { SQL } from 'drizzle-orm'
import { partitionIn } from '../db/id.ts'
import type { Rendered } from '../db/sql.ts'
import { pooled } from '../lib/pool.ts'
import { placesIn } from './ask.ts'
import type { Databases } from './databases.ts'
import { type Move, moves, statesOf } from './partitions.ts'

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

type Page<Row> = SQL<Row> | Rendered<Row>

interface Over<Row> {
  /** Asks the databases of these partitions only. Without it, all databases. */
  partitions?: readonly string[]
  /** Whether the database may have more behind its last row. */
  hasMore: (rows: Row[]) => boolean
}

/** What a database answered. `rows` are all of its rows. */
interface Answer<Row> {
  rows: Row[]
  moves: Map<string, Move>
  /** The names of databases that have partitions which were looked for here. */
  elsewhere: string[]
}

type Answers<Row> = Map<string, Answer<Row>>

/**
 * Reads the same page from several databases at once, each from its primary. Rows of a partition that is being moved count
 * once: those of the database that has the partition or, between the two steps that hand it over, of the one that had it.
 * With one database it is one plain read.
 *
 * @throws UNAVAILABLE
 */
export async function windowsOver<Row extends Listed>(
  databases: Databases,
  page: Page<Row>,
  { partitions, hasMore }: Over<Row>,
): Promise<Window<Row>[]> {
  const windowOf = (all: Row[], rows = all) => ({ rows, reached: hasMore(all) ? all.at(-1) : undefined })
  if (databases.isOnly) {
    const only = databases.first()
    only.usePrimary()
    return [windowOf(await only.read(page))]
  }
  const answers: Answers<Row> = new Map()
  const looked = partitions?.map((partition) => databases.nameFor(partition)) ?? databases.names
  for (let names = [...new Set(looked)]; names.length > 0; names = namesOfOthers(databases, answers))
    await readFrom(databases, names, page, partitions, answers)
  await readFrom(databases, namesOfEarly(answers), page, partitions, answers)
  return [...answers.values()].map((answer) =>
    windowOf(
      answer.rows,
      answer.rows.filter((row) => counts(row, answer, answers)),
    ),
  )
}

/** Reads the page from databases, as many at once as a Worker can, and notes their answers. */
async function readFrom<Row>(
  databases: Databases,
  names: string[],
  page: Page<Row>,
  partitions: readonly string[] = [],
  answers: Answers<Row>,
): Promise<void> {
  await pooled(names, async (name) => {
    const db = databases.named(name)
    db.usePrimary()
    const here = partitions.filter((partition) => databases.nameFor(partition) === name)
    const answer = await db.read({ rows: page, moves, states: statesOf(here) })
    const places = placesIn(databases, { name, states: answer.states })
    const elsewhere = places.map((place) => place.name)
    answers.set(name, {
      rows: answer.rows,
      moves: new Map(answer.moves.map((move) => [move.partition, move])),
      elsewhere,
    })
  })
}

/** The databases that have not been asked, and have partitions that were looked for in others. */
function namesOfOthers<Row>({ names }: Databases, answers: Answers<Row>): string[] {
  const wanted = new Set([...answers.values()].flatMap(({ elsewhere }) => elsewhere))
  return names.filter((name) => wanted.has(name) && !answers.has(name))
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
): Move['state'] | undefined {
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
