import type { Ledger } from './ledger.ts'
import type { View } from './view.ts'
import { type Answer, codeOf, type Request, type Wire } from './wire.ts'

/** Who acts: with a line to the server, and a ledger of what has been promised. */
export interface Party {
  readonly ledger: Ledger
  readonly wire: Wire
  /** A word that nobody has used before. */
  word(): string
}

/** How an answer came: at once, or to the repetition of a request that a kill had cut off. */
export type Attempt = 'first' | 'again'

/** One request of a client, which it can repeat after a crash without doing twice what it asks for. */
export interface Act {
  kind: string
  request: Request
  /**
   * Writes down in the ledger what the answer promises.
   *
   * @throws Error when it is none of the answers that may come
   */
  settle(answer: Answer, attempt: Attempt): void | Promise<void>
  /** Takes out of a view what the request may have left in it before it took effect. */
  disregard?(view: View): void
}

/**
 * Requires an answer of that status, or, from a repetition, the refusal that tells that it has been done before.
 * Tells which it was.
 */
export function required(
  answer: Answer,
  status: number,
  attempt: Attempt,
  doneBefore?: string,
): 'done' | 'done before' {
  if (answer.status === status) return 'done'
  if (attempt === 'again' && doneBefore !== undefined && codeOf(answer) === doneBefore) return 'done before'
  throw new Error(
    `it answered ${answer.status} ${JSON.stringify(answer.body)}, not ${status}${attempt === 'again' ? ` or ${doneBefore}, to the repetition` : ''}`,
  )
}

/** Requires that members of a record are what was asked for. */
export function requireMembers(record: object, members: object): void {
  const found = new Map(Object.entries(record))
  for (const [name, value] of Object.entries(members))
    if (found.get(name) !== value)
      throw new Error(
        `${name} should be ${JSON.stringify(value)}, and is ${JSON.stringify(found.get(name))} in ${JSON.stringify(record)}`,
      )
}

/** What is the same each time that a creating request is sent. */
export function keyed(word: string): Record<string, string> {
  return { 'Idempotency-Key': `key-${word}` }
}

/** What has to be there. */
export function there<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the ledger does not know it')
  return value
}
