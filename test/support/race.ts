import { env } from 'cloudflare:test'
import { expect, inject } from 'vitest'
import { ApiError } from '../../src/platform/errors.ts'
import { seeded } from './seeded.ts'

/** The outcome of a contender: its answer or its error code, its place among the contenders, and when it began and ended. */
export type Outcome<Answer> = ({ answer: Answer; code?: never } | { code: string; answer?: never }) & {
  place: number
  began: number
  ended: number
}

/** How contenders go: one after the other, or at the same time. */
type Order = 'forwards' | 'backwards' | 'at once'

/** One round of a race. */
export class Round {
  readonly seed: number
  readonly order: Order
  /** Which of a race's variants it is, from 0 on. */
  readonly variant: number
  readonly #branches: Map<string, boolean>
  readonly #later: (() => Promise<unknown>)[]

  constructor(
    { seed, order, variant }: Pick<Round, 'seed' | 'order' | 'variant'>,
    branches: Map<string, boolean>,
    later: (() => Promise<unknown>)[],
  ) {
    this.seed = seed
    this.order = order
    this.variant = variant
    this.#branches = branches
    this.#later = later
  }

  race<Answer>(contenders: (() => Promise<Answer>)[]): Promise<Outcome<Answer>[]> {
    return race(this.seed, contenders, this.order)
  }

  /** Whether one contender ended before the other began, so that no other order is possible. Some round has to meet it. */
  isBefore(one: Outcome<unknown> | undefined, other: Outcome<unknown> | undefined): boolean {
    const isSo = one !== undefined && other !== undefined && one.ended < other.began
    return this.#meets(`contender ${one?.place} before ${other?.place}`, isSo)
  }

  /** Tells `isSo`, which has to be true in one of the rounds and false in another. */
  fork(what: string, isSo: boolean): boolean {
    this.#meets(`not: ${what}`, !isSo)
    return this.#meets(what, isSo)
  }

  #meets(branch: string, isMet: boolean): boolean {
    this.#branches.set(branch, isMet || this.#branches.get(branch) === true)
    return isMet
  }

  /** Checks something once the rounds have settled. */
  later(check: () => Promise<unknown>): void {
    this.#later.push(() => named(this, check))
  }
}

interface Rounds {
  /** Each of them is done in both orders. */
  variants?: number
  /** How many rounds of chance there are: one, of several variants two, or as many as `npm run prove -- races` asks for. */
  count?: number
  /** What goes before the checks of `Round.later`. */
  settle?: () => Promise<unknown>
}

type Work = (round: Round) => Promise<void>
type Args = [Work] | [Rounds, Work]

const given = (args: Args): [Rounds, Work] => (args.length === 1 ? [{}, args[0]] : args)

/** As many rounds settle together. */
const TOGETHER = 24

/**
 * Does each variant forwards and backwards, one contender after the other, so that any two meet in both orders, then in rounds of
 * chance. Fails when an expectation was asked for under a condition (`isBefore`, `fork`) that no round met.
 */
export async function rounds(...args: Args): Promise<void> {
  const [{ variants = 1, count, settle }, work] = given(args)
  const orders = Array.from({ length: variants }, (_, variant) =>
    (['forwards', 'backwards'] as const).map((order) => ({ order, variant })),
  ).flat()
  const branches = await each(work, [...orders, ...chancesOf(variants, count)], settle)
  expect(
    [...branches].filter(([, isMet]) => !isMet).map(([branch]) => branch),
    'what no round has met',
  ).toEqual([])
}

/** Rounds of chance alone, for contenders that are alike. */
export async function chances(...args: Args): Promise<void> {
  const [{ variants = 1, count, settle }, work] = given(args)
  await each(work, chancesOf(variants, count), settle)
}

/** In a short run one round, or two that have two of the variants. */
function chancesOf(variants: number, count = inject('proof').rounds || Math.min(variants, 2)) {
  const variantOf = (at: number) => Math.floor((at * variants) / count)
  return Array.from({ length: count }, (_, at) => ({ order: 'at once' as const, variant: variantOf(at) }))
}

async function each(work: Work, all: { order: Order; variant: number }[], settle?: () => Promise<unknown>) {
  const branches = new Map<string, boolean>()
  const later: (() => Promise<unknown>)[] = []
  for (const [at, { order, variant }] of all.entries()) {
    const one = new Round({ seed: inject('proof').seed + at, order, variant }, branches, later)
    await named(one, () => work(one))
    if (at < all.length - 1 && (at + 1) % TOGETHER > 0) continue
    await settle?.()
    for (const check of later.splice(0)) await check()
  }
  return branches
}

/** Tells of a failure which round it was in. */
async function named({ seed, order, variant }: Round, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw new Error(`--seed ${inject('proof').seed}: ${order}, variant ${variant}, seed ${seed}: ${error}`, {
      cause: error,
    })
  }
}

/**
 * Runs contenders concurrently, in a seeded order and with seeded head starts, or one after the other. Returns the outcome of
 * each.
 *
 * @throws the error of a contender, unless it is an error of the API
 */
export async function race<Answer>(
  seed: number,
  contenders: (() => Promise<Answer>)[],
  order: Order = 'at once',
): Promise<Outcome<Answer>[]> {
  const outcomes: Outcome<Answer>[] = []
  let moment = 0
  const run = async (place: number) => {
    const began = moment++
    const outcome = await outcomeOf(contenders[place])
    outcomes[place] = { ...outcome, place, began, ended: moment++ }
  }
  const places = [...contenders.keys()]
  if (order !== 'at once') {
    for (const place of order === 'forwards' ? places : places.reverse()) await run(place)
    return outcomes
  }
  const random = seeded(seed)
  const drawn = places.map((place) => ({ place, key: random() })).sort((a, b) => a.key - b.key)
  await Promise.all(
    drawn.map(async ({ place }) => {
      for (let wait = Math.floor(random() * 4); wait > 0; wait--) await env.DB.prepare('SELECT 1').run()
      await run(place)
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

/** Counts outcomes by error code, with `ok` for an answer. */
export const tally = (outcomes: { code?: string }[]) =>
  Object.entries(Object.groupBy(outcomes, ({ code }) => code ?? 'ok'))
    .map(([code, those]) => `${those?.length} ${code}`)
    .sort()
    .join(', ')
