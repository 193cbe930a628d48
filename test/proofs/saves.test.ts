import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { newSaves, rulesWith } from '../support/saves-object.ts'
import { seeded } from '../support/seeded.ts'
import { type Act, type Outcome, perform as performIn } from './saves/act.ts'
import { draw, type Theme } from './saves/draw.ts'
import { Model } from './saves/model.ts'

const { seed, amount, replay } = inject('proof')
const SEQUENCES = amount || 120
const ACTS = 60
const TIMEOUT = amount === 0 ? 600_000 : 14_400_000

const rules = rulesWith({
  retention_days: 2,
  max_slots: 2,
  max_revisions: 3,
  limit_bytes: 16,
  max_days: 2,
  of_servers: { max_slots: 2, limit_bytes: 10 },
})
/** Recalls need a history to go back to. */
const rulesOf = { all: rules, recalls: { ...rules, max_revisions: 5, limit_bytes: 60 } }
const themeOf = (from: number): Theme => (from % 3 === 0 ? 'recalls' : 'all')
const met = new Map<string, number>()

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterAll(() => {
  vi.useRealTimers()
})

/** Does acts until there is none, and compares each answer, the lists and what is stored with the model's. */
async function perform(next: () => Act | undefined, model: Model): Promise<void> {
  const saves = newSaves()
  for (let isOver = false; !isOver; ) {
    isOver = await runInDurableObject(saves, async (object, { storage }) => {
      for (let act = next(); act; act = next()) {
        if (act.kind === 'eviction') return false
        compare(await performIn(object, storage, act, model.rules), act, model)
      }
      return true
    })
    if (!isOver) await evictDurableObject(saves)
  }
}

function compare({ answer, lists, rows, reports }: Outcome, act: Act, model: Model): void {
  const { rules } = model
  const expected = model.answer(act, revisionIn(answer))
  if (expected !== undefined) expect(answer).toEqual(expected)
  if (rules === model.rules)
    expect(lists).toEqual([false, true].flatMap((all) => [model.list(false, all), model.list(true, all)]))
  expect(reports).toEqual(model.reports)
  const left = rows.filter(({ slot }) => model.names.includes(slot)) // without the expired
  expect(left.map(({ slot, revision, text }) => `${slot} ${revision} ${text}`).sort()).toEqual(
    model.stored.sort(),
  )
}

function revisionIn(answer: unknown): number | undefined {
  if (typeof answer !== 'object' || answer === null || !('save' in answer)) return undefined
  const { save } = answer
  return typeof save === 'object' && save !== null && 'revision' in save ? Number(save.revision) : undefined
}

/** Does acts from the beginning. Returns what went wrong. */
async function failure(theme: Theme, acts: readonly Act[]): Promise<Error | undefined> {
  let at = 0
  try {
    await perform(() => acts[at++], new Model(rulesOf[theme], new Map()))
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** The acts without those that the failure does not need. */
async function shrunk(theme: Theme, acts: Act[]): Promise<Act[]> {
  let left = acts
  for (let at = left.length - 1; at >= 0; at--) {
    const fewer = left.toSpliced(at, 1)
    if (await failure(theme, fewer)) left = fewer
  }
  return left
}

async function tell(from: number): Promise<void> {
  const random = seeded(from)
  const theme = themeOf(from)
  const model = new Model(rulesOf[theme], met)
  const acts: Act[] = []
  const next = () => {
    if (acts.length === ACTS) return undefined
    const act = draw(theme, model, random, acts)
    acts.push(act)
    return act
  }
  try {
    await perform(next, model)
  } catch (error) {
    const few = await shrunk(theme, acts)
    const lines = few.map((act) => JSON.stringify(act)).join('\n')
    const message = `${(await failure(theme, few))?.message ?? error}\n${lines}`
    throw new Error(`${message}\nagain: npm run prove -- saves --replay ${from}`, { cause: error })
  }
}

/** What has to happen in a run of full length. */
const outcomes = [
  ...['write', 'write, new', 'write, repeated', 'write, ending a deleted slot', 'write, PRECONDITION_FAILED'],
  ...['write, repeated by key', 'write, repeated by key after another', 'keep, repeated by key'],
  ...[
    'write, IDEMPOTENCY_KEY_REUSED',
    'write, LIMIT_REACHED',
    'write, QUOTA_EXCEEDED',
    'keep',
    'keep, repeated',
    'keep, no room',
  ],
  ...['restore', 'restore of a deleted slot', 'restore, repeated', 'restore, nothing'],
  ...[
    'PRECONDITION_FAILED',
    'SAVE_NOT_FOUND',
    'SAVE_REVISION_NOT_FOUND',
    'LIMIT_REACHED',
    'QUOTA_EXCEEDED',
  ].map((code) => `restore, ${code}`),
  ...['delete', 'delete, PRECONDITION_FAILED', 'delete, SAVE_NOT_FOUND'],
  ...['read', 'read, known', 'read, SAVE_NOT_FOUND', 'read, SAVE_REVISION_NOT_FOUND'],
  ...['revisions', 'revisions, SAVE_NOT_FOUND', 'list', 'list of deleted', 'erase', 'erase, an old mark'],
  ...['room of a deleted slot', 'room of a live slot', 'room of what is restored', 'room of what is beyond'],
  ...['recall, reverted', 'recall, kept', 'recall, without_earlier', 'several recalls at once'],
  ...['recall of an unaware write', 'forecast'],
  ...['a day keeps a revision', 'list without a hidden slot'],
  ...['a deleted slot expires', 'a deleted slot beyond MAX_SAVE_SLOTS goes'],
]

it(
  'saves answer and keep what a plain model of them does, whatever is done in whatever order',
  async () => {
    if (replay) return tell(Number(replay))
    for (let sequence = 0; sequence < SEQUENCES; sequence++) await tell(seed + sequence)
    const counts = [...met].sort().map(([what, count]) => `${what}: ${count}`)
    console.log(`${SEQUENCES} sequences of ${ACTS} acts, seed ${seed}\n${counts.join('\n')}`)
    expect(outcomes.filter((outcome) => !met.has(outcome))).toEqual([])
  },
  TIMEOUT,
)
