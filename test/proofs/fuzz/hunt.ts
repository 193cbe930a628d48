import type { Coverage } from './coverage.ts'
import { Coverage as Counts } from './coverage.ts'
import { Dice } from './dice.ts'
import { Generator } from './generate.ts'
import type { Operation } from './operations.ts'
import { Fault, Round } from './round.ts'
import { type Step, told } from './step.ts'

/** As many steps as a round has: a database that stays small is quickly compared. */
const STEPS = 250
/** As long, in milliseconds, a shorter way to the same fault is looked for: no promise hangs on it. */
const PATIENCE = 60_000

interface Hunt {
  seed: number
  requests: number
  /** Whether rounds go on until each operation has been met both ways. */
  isWhole: boolean
  /** The number of the one round to run; empty: as many rounds as the requests take. */
  replay: string
}

interface Found {
  round: number
  report: string
}

/**
 * Runs rounds until enough requests have been sent, and of a whole hunt some more if an operation has not been met both ways by
 * then, or until one of them shows a fault. Tells what it was.
 */
export async function findFault(
  operations: Operation[],
  coverage: Coverage,
  hunt: Hunt,
): Promise<Found | undefined> {
  const began = Date.now()
  let said = began
  const isEnough = () =>
    coverage.requests >= hunt.requests &&
    (!hunt.isWhole || coverage.untouched.length === 0 || coverage.requests >= 8 * hunt.requests)
  for (let round = hunt.replay === '' ? 0 : Number(hunt.replay); !isEnough(); round++) {
    const { steps, fault } = await generated(operations, coverage, hunt.seed, round)
    if (fault) return { round, report: await reported(operations, steps, fault) }
    if (hunt.replay !== '') return undefined
    if (Date.now() - said > 10_000) {
      said = Date.now()
      const perSecond = Math.round((1_000 * coverage.requests) / (said - began))
      console.log(`round ${round}: ${coverage.requests} requests, ${perSecond} a second`)
    }
  }
  return undefined
}

/** One line that runs a round again. */
export function replayLine(seed: number, round: number): string {
  return `npm run prove -- fuzz --seed ${seed} --replay ${round}`
}

interface Run {
  /** Up to and with the one that showed the fault, if there is one. */
  steps: Step[]
  fault: Fault | undefined
}

async function generated(
  operations: Operation[],
  coverage: Coverage,
  seed: number,
  number: number,
): Promise<Run> {
  const round = await Round.begin(operations, coverage)
  const dice = new Dice(seed * 100_003 + number)
  const generator = new Generator(dice, operations, round.people, round.pool)
  return run(
    round,
    function* () {
      for (let step = 0; step < STEPS; step++) yield generator.next()
    },
    (upload) => generator.sendable(upload),
  )
}

async function run(
  round: Round,
  steps: () => Iterable<Step>,
  sendable: (upload: string) => void,
): Promise<Run> {
  const taken: Step[] = []
  try {
    for (const step of steps()) {
      taken.push(step)
      const upload = await round.take(step)
      if (upload !== undefined) sendable(upload)
    }
    await round.end()
    return { steps: taken, fault: undefined }
  } catch (error) {
    if (error instanceof Fault) return { steps: taken, fault: error }
    throw error
  }
}

async function again(operations: Operation[], steps: Step[]): Promise<Fault | undefined> {
  const round = await Round.begin(operations, new Counts(operations))
  return (
    await run(
      round,
      () => steps,
      () => {},
    )
  ).fault
}

/** The fewest steps that were found to show the same fault, by leaving out ever smaller pieces of the way to it. */
async function shortened(operations: Operation[], steps: Step[], fault: Fault): Promise<Step[]> {
  let kept = steps
  const until = Date.now() + PATIENCE
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < kept.length && Date.now() < until; ) {
      const without = kept.toSpliced(at, size)
      const same = without.length > 0 && (await again(operations, without))?.kind === fault.kind
      if (same) kept = without
      else at += size
    }
  return kept
}

async function reported(operations: Operation[], steps: Step[], fault: Fault): Promise<string> {
  const fewest = await shortened(operations, steps, fault)
  return [
    fault.message,
    `after ${steps.length} steps of the round; these ${fewest.length} lead there, too:`,
    ...fewest.map(told),
  ].join('\n')
}
