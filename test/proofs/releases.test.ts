import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { act, outcomes } from './releases/acts.ts'
import { compareAll, compareOne, Records } from './releases/compare.ts'
import { History, Met } from './releases/history.ts'

const { seed, amount, replay } = inject('proof')
const HISTORIES = amount || 20
const ACTS = 14
const BEGINNING = Date.UTC(2031, 0)
const met = new Met()

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterAll(() => {
  vi.useRealTimers()
})

/** Tells one history: acts of chance, after each of them what changed and one answer, and at its end all answers. */
async function tell(from: number): Promise<void> {
  vi.setSystemTime(BEGINNING)
  const history = await History.begin(from, met)
  const records = new Records(history)
  try {
    for (let done = 0; done < ACTS; done++) {
      vi.setSystemTime(BEGINNING + (done + 1) * 10_000)
      const effect = await act(history)
      if (effect) await records.follow(effect)
      if (history.dice.chance(0.5)) await compareOne(history)
    }
    await compareAll(history)
  } catch (error) {
    throw new Error(`${error}\nagain: npm run prove -- releases --replay ${from}`, { cause: error })
  }
}

/** What a run of full length has to meet beside each act. */
const answers = [
  ...['VERSION_NOT_FOUND', 'ASSET_NOT_FOUND'].map((code) => `setsChannel, ${code}`),
  ...['VERSION_NOT_FOUND', 'DUPLICATE_PLATFORM'].map((code) => `uploadsVariant, ${code}`),
  ...[
    'deletesVariant, VARIANT_NOT_FOUND',
    'deletesChannel, CHANNEL_NOT_FOUND',
    'deletesVersion, VERSION_IS_CURRENT',
  ],
  ...['ASSET_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'VERSION_NOT_FOUND'].map((code) => `branches, ${code}`),
  ...['ASSET_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'VERSION_NOT_FOUND', 'VARIANT_NOT_FOUND'].flatMap((code) => [
    `URL, ${code}`,
    `update, ${code}`,
  ]),
  ...['URL, served', 'update, nothing new', 'update, an update'],
  ...['owner', 'another', 'owner, live', 'another, live', 'owner with a key', 'another with a key'].map(
    (who) => `record, ${who}`,
  ),
  ...['owner with a key, live', 'another with a key, live', 'ASSET_NOT_FOUND', 'CHANNEL_NOT_FOUND'].map(
    (who) => `record, ${who}`,
  ),
  ...['public, shown', 'public, ASSET_NOT_FOUND'],
  ...['catalogue', 'catalogue of a platform'].flatMap((of) => [`${of}, some`, `${of}, none`]),
  ...['catalogue, an earlier version', 'followed, nothing', 'followed, a change'],
]

it('what a plain solver of the contract says, everybody sees, whatever was released in whatever order', async () => {
  if (replay) return tell(Number(replay))
  for (let at = 0; at < HISTORIES; at++) {
    await tell(seed + at)
    if (at % 250 === 249) console.log(`${at + 1} histories, seeds ${seed} to ${seed + at}`)
  }
  const counts = [...met.counts].sort().map(([what, count]) => `${what}: ${count}`)
  console.log(`${HISTORIES} histories of ${ACTS} acts, seed ${seed}\n${counts.join('\n')}`)
  expect([...outcomes, ...answers].filter((what) => !met.counts.has(what))).toEqual([])
}, 14_400_000)
