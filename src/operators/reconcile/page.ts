import type { RequestContext } from '../../platform/context.ts'
import type { Problem } from './names.ts'

export interface Finding {
  problem: Problem
  /** The id of the row, the key of the object, or the user. */
  id: string
  owner_id?: string | undefined
  object_key?: string
  detail?: string
  is_repaired: boolean
}

/** A page of a stage in one database. */
export interface ComparedPage {
  /** How many rows or objects it has looked at. */
  looked_at: number
  /** Where the next page begins; null when there is none. */
  next: string | null
  found: Finding[]
  /** Why nothing of the page has been repaired: it looks like a mistake of the configuration. */
  refused?: string
}

/** What a stage may use. It reads and writes whole databases: each write is refused while partitions move. */
export interface ReconcileContext
  extends Pick<RequestContext, 'databases' | 'bucket' | 'inboxes' | 'config' | 'now_ms'> {
  /** The name of the database that the page is of. */
  database: string
  /** Where the page begins: what the page before it answered as `next`, and '' at first. */
  after: string
  /** Whether to repair what is found. */
  isRepair: boolean
  /** Whether to mark content as missing even if much of it is. */
  acceptMissing: boolean
}

/** How many rows or objects a page looks at, at most. */
export const PAGE = 1_000

/** A page of which so many are missing, more than one in MOST_MISSING_ONE_IN, points to another bucket. */
const MOST_MISSING = 20
const MOST_MISSING_ONE_IN = 20

/** Why a page whose content is missing is not marked; undefined when it may be. */
export function whyNotMarked(missing: number, of: number, acceptMissing: boolean): string | undefined {
  if (acceptMissing || missing < MOST_MISSING || missing * MOST_MISSING_ONE_IN <= of) return undefined
  return `the content of ${missing} of ${of} rows is missing: is it the right bucket? With --accept-missing they are marked`
}

/** SQL binds lists of values as one JSON array. */
export function asList(values: Iterable<unknown>): string {
  return JSON.stringify([...values])
}
