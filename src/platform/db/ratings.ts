import { type SQL, sql } from 'drizzle-orm'
import { type Rating, ratings } from './enumerations.ts'

/** The word for an asset without a rating, where ratings are listed. It is no rating, and part of none. */
const UNRATED = 'unrated'

/**
 * The ratings above a bound, separated by spaces; empty without a bound. UNRATED is among them when an asset without a rating counts
 * as one above the bound.
 */
export function ratingsAbove(bound: Rating | undefined, unrated_as: Rating): string {
  if (bound === undefined) return ''
  const above: string[] = ratings.slice(ratings.indexOf(bound) + 1)
  return (above.includes(unrated_as) ? [...above, UNRATED] : above).join(' ')
}

/** Whether a rating is none of `hidden` (`ratingsAbove`). */
export function isRatedWithin(rating: Rating | null, hidden: string): boolean {
  return !hidden.includes(rating ?? UNRATED)
}

/** SQL: whether the `rating` of a row is none of `hidden` (`ratingsAbove`). */
export function isWithin(hidden: SQL): SQL {
  return sql`instr(${hidden}, coalesce(rating, '${sql.raw(UNRATED)}')) = 0`
}
