import { env } from 'cloudflare:test'
import { inject } from 'vitest'
import { ApiError } from '../../src/platform/errors.ts'
import { seeded } from './seeded.ts'

/** The outcome of a contender: its answer or its error code, and when it began and ended. */
export type Outcome<Answer> = ({ answer: Answer; code?: never } | { code: string; answer?: never }) & {
  began: number
  ended: number
}

/** Whether one contender ended before the other began, so that no other order is possible. */
export function isBefore(one: Outcome<unknown> | undefined, other: Outcome<unknown> | undefined): boolean {
  return one !== undefined && other !== undefined && one.ended < other.began
}

/**
 * Runs contenders concurrently, in a seeded order and with seeded head starts. Returns the outcome of each.
 *
 * @throws the error of a contender, unless it is an error of the API
 */
export async function race<Answer>(
  seed: number,
  contenders: (() => Promise<Answer>)[],
): Promise<Outcome<Answer>[]> {
  const random = seeded(seed)
  const places = contenders.map((_, index) => ({ index, key: random() })).sort((a, b) => a.key - b.key)
  const outcomes: Outcome<Answer>[] = []
  let moment = 0
  await Promise.all(
    places.map(async ({ index }) => {
      for (let wait = Math.floor(random() * 4); wait > 0; wait--) await env.DB.prepare('SELECT 1').run()
      const began = moment++
      const outcome = await outcomeOf(contenders[index])
      outcomes[index] = { ...outcome, began, ended: moment++ }
    }),
  )
  return outcomes
}

async function outcomeOf<Answer>(
  contender: (() => Promise<Answer>) | undefined,
): Promise<{ answer: Answer; code?: never } | { code: string; answer?: never }> {
  if (!contender) throw new Error('nobody there')
  try {
    return { answer: await contender() }
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code }
    throw error
  }
}

/** Runs `round` for seeds from the proof's on: few in a short run, more with `npm run prove -- races`. */
export async function rounds(
  round: (seed: number) => Promise<void>,
  count = inject('proof').rounds,
): Promise<void> {
  const first = inject('proof').seed
  for (let seed = first; seed < first + count; seed++) await round(seed)
}

/** Counts outcomes by error code, with `ok` for an answer. */
export const tally = (outcomes: { code?: string }[]) =>
  Object.entries(Object.groupBy(outcomes, ({ code }) => code ?? 'ok'))
    .map(([code, those]) => `${those?.length} ${code}`)
    .sort()
    .join(', ')
