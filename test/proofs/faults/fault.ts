import type { Binding } from '../../support/outgoing.ts'

/** When that happens which a call asks for. */
export const effects = ['never', 'at once', 'before the retry', 'after the retry'] as const
/** What comes back from it. */
export const replies = ['an error', 'nothing'] as const

/** What befalls one call out of the Worker: it fails, hangs, or is late, and takes effect or not. */
export interface Fault {
  effect: (typeof effects)[number]
  reply: (typeof replies)[number]
  /** Which of the errors that the platform has for such a call. */
  flavour: number
}

/** The faults of one request, by the number of the call that each befalls, from 1 on. */
export type Faults = ReadonlyMap<number, Fault>

/** Faults in words that `read` understands. */
export function written(faults: Faults): string {
  return [...faults]
    .map(([at, { effect, reply, flavour }]) => `call ${at}: ${effect}, ${reply}, ${flavour}`)
    .join('; ')
}

/** What a line of a failed run says. */
export function read(line: string): Faults {
  const faults = new Map<number, Fault>()
  for (const [, at, when, what, flavour] of line.matchAll(/call (\d+): ([^,;]+), ([^,;]+), (\d+)/g)) {
    const effect = effects.find((known) => known === when)
    const reply = replies.find((known) => known === what)
    if (!effect || !reply) throw new Error(`no fault: ${line}`)
    faults.set(Number(at), { effect, reply, flavour: Number(flavour) })
  }
  return faults
}

/** Errors of calls to objects. */
const ofObjects = [
  () => Object.assign(new Error('Network connection lost.'), { retryable: true }),
  () => Object.assign(new Error('The object is overloaded.'), { retryable: true, overloaded: true }),
  () => new Error('internal error; reference = 0123456789'),
  () => Object.assign(new Error('The object was reset.'), { remote: true, durableObjectReset: true }),
]

/** Errors as the platform has them; those of objects say by their members what may be done about them. */
const errors: Record<Binding, (() => Error)[]> = {
  D1: [
    () => new Error('D1_ERROR: Network connection lost.'),
    () => new Error('D1_ERROR: Internal error in D1 DB storage caused object to be reset.'),
    () => new Error('D1_ERROR: database is locked: SQLITE_BUSY'),
    () => new Error('D1_ERROR: out of memory: SQLITE_NOMEM'),
  ],
  R2: [
    () => new Error('We encountered an internal error. Please try again. (10001)'),
    () => new Error('Network connection lost.'),
    () => new TypeError('The stream was disturbed before it ended.'),
  ],
  INBOX: ofObjects,
  SAVES: ofObjects,
}

/** How many kinds of errors a binding has. */
export const flavours = (binding: Binding): number => errors[binding].length

export function errorOf(binding: Binding, { flavour }: Fault): Error {
  const make = errors[binding][flavour % flavours(binding)]
  if (!make) throw new Error('no such error')
  return make()
}

/** Words of the inside that an answer must not have, those of the errors above included. */
export const inside =
  /\bD1|\bR2\b|SQL|INBOX|SAVES|BUCKET|\bobject\b|Network|[Ii]nternal error|overloaded|\breference\b|locked|memory|stream|deadline|\bms\b|src\/|\.ts\b|\bat \w+ \(/
