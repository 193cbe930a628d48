import type { Rating } from '../db/enumerations.ts'

/** The sender of a request, from its token. */
export interface Caller {
  user_id: string
  scopes: ReadonlySet<string>
  /** The highest rating of other users' assets that the sender sees; undefined: all. */
  max_rating: Rating | undefined
  /** When the token expires, in Unix seconds. */
  expires_at: number
}

/**
 * Why `text` can't name a user; undefined when it can. A user id has 1–128 Unicode scalar values without control characters
 * (docs/conformance.md#conventions). `.`, `..` and white space alone are not allowed, because no path could hold them.
 */
export function whyNoUserId(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (text.trim() === '') return 'is only white space'
  if (text === '.' || text === '..') return 'is "." or "..", which no path can hold'
  if (!text.isWellFormed()) return 'has half of a surrogate pair'
  if (/\p{Cc}/u.test(text)) return 'has a control character'
  const length = [...text].length
  return length > LONGEST ? `has ${length} characters, and at most ${LONGEST} are allowed` : undefined
}

const LONGEST = 128

/** Whether `text` can name a user. */
export function isUserId(text: string): boolean {
  return whyNoUserId(text) === undefined
}
