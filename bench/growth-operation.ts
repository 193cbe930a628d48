import type { Database } from './serve.ts'

/** A request. */
export interface Asked {
  method: string
  path: string
  body?: object
  /** What its token has; none: the user's own token. */
  scope?: string
  /** Whether it gets an Idempotency-Key. */
  key?: boolean
}

export const get = (path: string): Asked => ({ method: 'GET', path })

export const send = (method: string, path: string, body?: object): Asked =>
  body ? { method, path, body } : { method, path }

/** The pictures. */
export const groups = {
  lists: 'A page of 50, by how many rows the list has',
  items: 'An item among many, and a folder of many',
  public: 'A page of 50 public assets, by how many there are',
  versions: 'An asset, by how many versions it has',
  inbox: 'An inbox, by how many notifications it has',
} as const

export type Group = keyof typeof groups

/** What is used of an answer. */
export interface Answered {
  id?: string
  next_cursor?: string
}

/** What is measured: one request, with what has to be done before and after it. */
export interface Operation {
  group: Group
  title: string
  /** The request of a repetition. `answers`: what those before it were answered. */
  ask: (repetition: number, answers: readonly Answered[]) => Asked
  before?: readonly Asked[]
  after?: Asked
  /** The status of a refusal that is an answer, too: beyond a limit. */
  refusal?: number
  /** How often it is asked for; else `TIMES`. */
  times?: number
  /** The key and the id that the page begins after; without a key, that of the first page's cursor. */
  cursor?: [key: string | number | undefined, id: string]
}

/** Where a dataset is put. */
export interface Place {
  databases: Database[]
  /** A user of each database, who has a part of what is in all of them. */
  owners: string[]
  /** The user who asks, and the database that is their home: the second, if there are several. */
  user: string
  home: Database
  /** Sends a request, and answers its parsed body. */
  ask: (asked: Asked) => Promise<Answered>
}

/** Rows, put straight into the databases, and what is asked about them. */
export interface Dataset {
  name: string
  /** Whether several databases change anything for it: unless it says otherwise. */
  isOfDatabases?: false
  prepare: (place: Place) => Promise<void>
  /** Adds the rows with the numbers from `from` to `to`, `to` excluded. */
  seed: (place: Place, range: { from: number; to: number }) => Promise<void>
  operations: (place: Place, size: number) => Operation[]
}

/** What an operation was seen to cost at one size. */
export interface Measurement {
  group: Group
  title: string
  databases: number
  /** How many rows there were. */
  size: number
  /** Round trips to databases. */
  trips: number
  rows_read: number
  rows_written: number
  /** Milliseconds, in the median and at least. */
  median_ms: number
  least_ms: number
}

/** A part of a range that is split among databases. */
export function whole({ from, to }: { from: number; to: number }): { from: number; to: number } {
  return { from: Math.ceil(from), to: Math.ceil(to) }
}
