import type { Database } from './serve.ts'

/** A request of the bench. */
export interface Asked {
  method: string
  path: string
  body?: object
  /** The scope of its token, an operator's; undefined: the user's own token. */
  scope?: string
  /** Whether to send an Idempotency-Key. */
  key?: boolean
}

export const get = (path: string): Asked => ({ method: 'GET', path })

export const send = (method: string, path: string, body?: object): Asked =>
  body ? { method, path, body } : { method, path }

/** The groups of operations, each with the title of its picture. */
export const groups = {
  lists: 'A page of 50, by how many rows the list has',
  items: 'An item among many, and a folder of many',
  public: 'A page of 50 public assets, by how many there are',
  versions: 'An asset, by how many versions it has',
  inbox: 'An inbox, by how many notifications it has',
} as const

type Group = keyof typeof groups

/** The fields of an answer that are used. */
export interface Answered {
  id?: string
  next_cursor?: string
}

/** An operation to measure: one request, with further requests before and after it that are not measured. */
export interface Operation {
  group: Group
  title: string
  /** The request of a repetition. `answers`: the answers to `before`. */
  ask: (repetition: number, answers: readonly Answered[]) => Asked
  before?: readonly Asked[]
  after?: Asked
  /** A status ≥ 300 that is expected too, because the size is beyond a limit. */
  refusal?: number
  /** The number of timed repetitions. Default: `TIMES`. */
  times?: number
  /** The key and id after which the page begins. Without a key, the key of the first page's cursor is used. */
  cursor?: [key: string | number | undefined, id: string]
}

/** The databases and users of a dataset. */
export interface Place {
  databases: Database[]
  /** A user of each database. Rows of others than `user` are spread over them. */
  owners: string[]
  /** The user who sends the requests, and their home database: the second, if there are several. */
  user: string
  home: Database
  /** Sends a request, and returns its parsed body. */
  ask: (asked: Asked) => Promise<Answered>
}

/** Rows that are inserted directly into the databases, and the operations on them. */
export interface Dataset {
  name: string
  /** `false`: its costs do not depend on the number of databases. */
  isOfDatabases?: false
  prepare: (place: Place) => Promise<void>
  /** Adds the rows with the numbers from `from` to `to`, `to` excluded. */
  seed: (place: Place, range: { from: number; to: number }) => Promise<void>
  operations: (place: Place, size: number) => Operation[]
}

/** The measured cost of an operation at one size. */
export interface Measurement {
  group: Group
  title: string
  databases: number
  /** The number of rows in the databases. */
  size: number
  /** Round trips to databases. */
  trips: number
  rows_read: number
  rows_written: number
  /** Milliseconds, in the median and at least. */
  median_ms: number
  least_ms: number
}

/** Rounds the ends of a range that was split among databases. */
export function whole({ from, to }: { from: number; to: number }): { from: number; to: number } {
  return { from: Math.ceil(from), to: Math.ceil(to) }
}
