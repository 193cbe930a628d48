import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { Coverage } from './fuzz/coverage.ts'
import { costliest } from './fuzz/crowd.ts'
import { findFault, replayLine } from './fuzz/hunt.ts'
import { listenToLog } from './fuzz/log.ts'
import { describedOperations } from './fuzz/operations.ts'

const proof = inject('proof')
const SHORT = 1_000
/** From as many on, each operation has to succeed and to be refused: rounds go on until it has, up to eight times as many. */
const WHOLE = 10_000
const SHORT_IN_FULL = 500

beforeAll(listenToLog)
afterAll(() => void vi.restoreAllMocks())

it(
  'withstands an adversary who sends whatever the description leads to: no 5xx, no change after a refusal, no leak, no inside word, and none of a client in the log',
  async () => {
    const operations = await describedOperations()
    const coverage = new Coverage(operations)
    const requests = proof.amount || SHORT
    const isWhole = requests >= WHOLE
    const found = await findFault(operations, coverage, { ...proof, requests, isWhole })
    if (!found) console.log(`seed ${proof.seed}: ${coverage.report()}`)
    expect
      .soft(
        found?.report.toWellFormed(),
        found && `${found.report}\n${replayLine(proof.seed, found.round)}`.toWellFormed(),
      )
      .toBeUndefined()
    if (proof.replay !== '') return
    if (isWhole) expect(coverage.untouched).toEqual([])
    else expect(coverage.untouched.length).toBeLessThan(operations.length / 2)
  },
  3 * 60 * 60 * 1_000,
)

it('sends nothing that costs more than 5,000 rows, an erasure 10,000 and a deletion from the trash 20,000, however much is stored', {
  tags: ['release'],
  timeout: 3 * 60 * 60 * 1_000,
}, async () => {
  const operations = await describedOperations()
  const requests = proof.amount > 0 ? Math.ceil(proof.amount / 10) : SHORT_IN_FULL
  const { most, faults } = await costliest(operations, new Coverage(operations), { ...proof, requests })
  console.log(`${requests} requests in a full database: ${most} rows at most`)
  expect(faults).toEqual([])
})
