import type { Act } from '../../proofs/model/act.ts'
import type { Answer } from '../../support/exchange.ts'
import type { Wire } from './wire.ts'

/** One act of an actor. It can be repeated after a crash without doing twice what it asks for. */
export interface Step {
  /** By which kills are aimed, and counted. */
  kind: string
  act: Act<Wire>
  /** What the actor does with the answer, once the model agrees with it. */
  afterwards?: (answer: Answer) => void | Promise<void>
}

/** The ids in what an act says of itself. */
export function idsIn(says: string): string[] {
  return says.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g) ?? []
}
