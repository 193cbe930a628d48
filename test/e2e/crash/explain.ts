import { type Act, lost } from '../../proofs/model/act.ts'
import { copyOf, type Limits, type World } from '../../proofs/model/state.ts'
import type { Answer } from '../../support/exchange.ts'
import { reasonOf } from './reason.ts'

/** When something may have been done, in Unix milliseconds. */
interface Period {
  from_ms: number
  to_ms: number
}

/** An act, and the answer that came. */
export interface Heard extends Period {
  act: Pick<Act, 'says' | 'judge'>
  answer: Answer
}

/** The beginning of a period, and of each second in it: the service tells time in seconds. */
function moments({ from_ms, to_ms }: Period): number[] {
  const first = Math.floor(from_ms / 1_000) + 1
  const seconds = Math.max(0, Math.floor(to_ms / 1_000) - first + 1)
  return [from_ms, ...Array.from({ length: seconds }, (_, index) => (first + index) * 1_000)]
}

/**
 * The model as it is after an act, for each moment of the period at which the answer would be right.
 *
 * @throws Error when the answer is right at none of them
 */
export function outcomes(before: World, { act, answer, ...period }: Heard): World[] {
  const wrong: unknown[] = []
  const found = moments(period).flatMap((now_ms) => {
    const after = { ...copyOf(before), now_ms }
    try {
      act.judge(after, answer)
      return [after]
    } catch (error) {
      wrong.push(error)
      return []
    }
  })
  if (found.length === 0) throw wrong.at(-1)
  return found
}

/** @throws Error when one of the answers to what only looks is not what the model says */
export function requireSeen(world: World, seen: Heard[]): void {
  for (const { act, answer, ...period } of seen) {
    const wrong = moments(period).map((now_ms) => thrown(() => act.judge({ ...world, now_ms }, answer)))
    if (wrong.every((error) => error !== undefined))
      throw new Error(`${act.says}: ${reasonOf(wrong.at(-1))}`, { cause: wrong.at(-1) })
  }
}

/** Whether the answers to what only looks are what the model says. */
export function isSeen(world: World, seen: Heard[]): boolean {
  return thrown(() => requireSeen(world, seen)) === undefined
}

/** An act whose answer never came. `cut`: when it may have taken effect. */
export interface CutOff {
  act: Heard['act']
  cut: Period
}

/** What is known after a restart about an act that was cut off. */
export interface Evidence {
  /** The repetition of the act, and its answer. */
  repeated: Heard
  /** The limits that it was repeated with. */
  limits: Limits
  /** Throws when a model is not what was seen before the repetition. */
  fits: (world: World) => void
}

/** What became of an act that was cut off, and the model after its repetition. */
export interface Explanation {
  fate: 'had happened' | 'had not' | 'left no trace'
  world: World
  /** The model as it was found, before the repetition. */
  found: World
}

/**
 * Explains what was seen after a kill, and the answer to the repetition of what had been cut off: either it had happened, as a
 * whole, or it had not, not at all.
 *
 * @throws Error when neither is so
 */
export function explained(
  before: World,
  { act, cut }: CutOff,
  { repeated, limits, fits }: Evidence,
): Explanation {
  const wrong: string[] = []
  const after = (found: World, told: string): World[] => {
    try {
      fits(found)
      return outcomes({ ...found, limits }, repeated).slice(0, 1)
    } catch (error) {
      wrong.push(`not as if it ${told}: ${reasonOf(error)}`)
      return []
    }
  }
  const [unchanged] = after(before, 'had not happened')
  const ways = [repeated.answer, lost].flatMap((answer) => possible(before, { act, answer, ...cut }))
  const happened = ways.flatMap((found) => after(found, 'had happened').map((world) => ({ world, found })))
  const [first] = happened
  if (unchanged) return { fate: first ? 'left no trace' : 'had not', world: unchanged, found: before }
  if (!first) throw new Error(wrong.join('\n'))
  return { fate: 'had happened', ...first }
}

function possible(before: World, heard: Heard): World[] {
  try {
    return outcomes(before, heard)
  } catch {
    return []
  }
}

function thrown(work: () => void): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}
