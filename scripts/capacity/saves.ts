/** A month of saves in both ways: as uploads that replace the content of files, and as slots. */
import { type Assumptions, type Estimate, estimate, type Measured } from './estimate.ts'
import { GRACE_DAYS } from './model.ts'
import { items } from './prices.ts'

export type Amounts = Estimate['amounts']

export interface MonthOfSaves {
  /** How many saves are written in the month. */
  saves: number
  /** What the saves alone take as uploads, and as slots. */
  before: Amounts
  after: Amounts
}

const [DAYS, GB] = [30.4, 1e9]

/** What the saves of the assumed day take in a month. */
export function monthOfSaves(given: Assumptions, measured: Measured): MonthOfSaves {
  const { players, active, save_slots, save_kib } = given
  const writes = given.day['write a save'] ?? 0
  const monthOf = (day: Record<string, number>, slots: number) =>
    estimate({ ...given, day, content_mb: 0, save_slots: slots }, measured).amounts
  const without = monthOf({}, 0)
  const before = difference(
    monthOf({ 'start a replacing upload': writes, 'complete a replacing upload': writes }, 0),
    without,
  )
  const bytesOfFile = measured.rows.bytes.file ?? 0
  const kept = save_slots + active * writes * GRACE_DAYS
  before['D1: stored, GB'] += (players * save_slots * bytesOfFile) / GB
  before['R2: stored, GB'] += (players * kept * save_kib * 1_024) / GB
  return {
    saves: players * active * writes * DAYS,
    before,
    after: difference(monthOf({ 'write a save': writes }, save_slots), without),
  }
}

function difference(one: Amounts, other: Amounts): Amounts {
  const amounts = { ...one }
  for (const item of items) amounts[item] -= other[item]
  return amounts
}
