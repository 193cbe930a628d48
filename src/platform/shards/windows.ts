import { partitionIn } from '../db/id.ts'
import type { MovingPartition } from './partitions.ts'

/*
 * A page of a list over several databases is merged from one window for each database. While a partition is being moved, two
 * databases may have its rows: those of one of them count.
 */

/** A row whose id has its partition. */
export interface Listed {
  id: string
}

/** The part of a page that one database has: the rows that count, in the order of the list. */
export interface Window<Row> {
  rows: Row[]
  /** The last row that the database read, when it may have more after that. */
  reached: Row | undefined
}

/** The answer of one database: all rows of its page, and the partitions that were being moved from or to it. */
export interface Answer<Row> {
  rows: Row[]
  moving: Map<string, MovingPartition>
  /** The names of the databases that have the partitions which were looked for in this one. */
  locations: string[]
}

/** Answers by the name of the database. */
export type Answers<Row> = Map<string, Answer<Row>>

/** Makes the window of a database from `all` of its rows and the `rows` that count. */
export function windowOf<Row>(all: Row[], rows: Row[], hasMore: (rows: Row[]) => boolean): Window<Row> {
  return { rows, reached: hasMore(all) ? all.at(-1) : undefined }
}

/** Makes the window of each database. `hasMore`: whether a database with these rows may have more. */
export function windowsOf<Row extends Listed>(
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

/**
 * The databases that were asked too early: a partition was still incoming there, and its source may have removed rows
 * before the source was asked. When a second answer of such a database still has the partition incoming, the source's
 * answer was complete.
 */
export function namesOfEarly<Row>(answers: Answers<Row>): string[] {
  return [...answers]
    .filter(([, { moving }]) =>
      [...moving.values()].some(
        ({ partition, state, moved_to }) =>
          state === 'incoming' && stateAt(answers, moved_to, partition) !== 'frozen',
      ),
    )
    .map(([name]) => name)
}

/**
 * Whether a row counts in the answer of a database. An incoming row does not: its source has it. A row of a partition that is
 * gone counts until the other database has opened the partition.
 */
function counts<Row extends Listed>({ id }: Row, answer: Answer<Row>, answers: Answers<Row>): boolean {
  const partition = partitionIn(id)
  const known = answer.moving.get(partition)
  if (known?.state === 'incoming') return false
  return known?.state !== 'gone' || stateAt(answers, known.moved_to, partition) === 'incoming'
}

function stateAt<Row>(
  answers: Answers<Row>,
  name: string | null,
  partition: string,
): MovingPartition['state'] | undefined {
  return answers.get(name ?? '')?.moving.get(partition)?.state
}

/** Newest first: the order of ids, backwards. */
function newestFirst(one: Listed, other: Listed): number {
  if (one.id === other.id) return 0
  return one.id > other.id ? -1 : 1
}

/**
 * Merges the windows of a page: up to `limit` rows in the order of the list, each once. `last` is the row after which the
 * next page begins, undefined at the end. The page ends at the first `reached` of a window: that database may have rows
 * after it.
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
