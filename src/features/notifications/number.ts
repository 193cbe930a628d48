import { isId, newId } from '../../platform/db/id.ts'

/** The number of hexadecimal digits at the end of a notification's id that are its seq. */
const DIGITS = 10
const LARGEST = 16 ** DIGITS - 1

/**
 * A new id of a notification. It ends in the seq of the event that adds it, so that an inbox finds it by the key of its
 * table and needs no index of ids. The rest is as in any id: the time, the owner's partition, and 26 random bits.
 */
export function numberedId(user_id: string, seq: number): string {
  if (seq > LARGEST) throw new Error(`an inbox has no more than ${LARGEST} events`)
  return newId(user_id).slice(0, -DIGITS) + seq.toString(16).padStart(DIGITS, '0')
}

/** The seq in an id of `numberedId`. For another id the number has no meaning; for other text it is undefined. */
export function numberIn(id: string): number | undefined {
  return isId(id) ? Number.parseInt(id.slice(-DIGITS), 16) : undefined
}
