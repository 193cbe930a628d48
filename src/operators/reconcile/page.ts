import type { RequestContext } from '../../platform/context.ts'
import type { Problem } from './names.ts'

/** One difference that a comparison has found. */
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
  /** How many rows or objects were compared. */
  looked_at: number
  /** The `after` of the next page; null after the last one. */
  next: string | null
  found: Finding[]
  /** Why the page was not repaired: the configuration is probably wrong. */
  refused?: string
}

/** Everything that a stage may use. Stages read and write whole databases, which refuse writes while partitions move. */
export interface ReconcileContext
  extends Pick<RequestContext, 'databases' | 'bucket' | 'inboxes' | 'ended' | 'config' | 'now_ms'> {
  /** The name of the database whose rows are compared. */
  database: string
  /** The `next` of the previous page; '' for the first page. */
  after: string
  /** Whether to repair what is found. */
  isRepair: boolean
  /** Whether to mark missing content even on a page where much of it is missing. */
  acceptMissing: boolean
}

/** How many rows or objects a page compares at most. */
export const PAGE = 1_000

/** A page with at least MIN_SUSPICIOUS missing objects, more than one in SUSPICIOUS_ONE_IN, suggests the wrong bucket. */
const MIN_SUSPICIOUS = 20
const SUSPICIOUS_ONE_IN = 20

/** Why the missing content of a page is not marked; undefined when it may be marked. `of` is the number of compared rows. */
export function whyNotMarked(missing: number, of: number, acceptMissing: boolean): string | undefined {
  if (acceptMissing || missing < MIN_SUSPICIOUS || missing * SUSPICIOUS_ONE_IN <= of) return undefined
  return `the content of ${missing} of ${of} rows is missing: is it the right bucket? With --accept-missing they are marked`
}

/** Returns values as a JSON array, to be bound as one parameter and read with `json_each`. */
export function asList(values: Iterable<unknown>): string {
  return JSON.stringify([...values])
}
