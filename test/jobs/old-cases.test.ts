import { expect, it } from 'vitest'
import { liftDecision } from '../../src/features/moderation/lift.ts'
import { asset, file } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { countOf } from '../support/databases.ts'
import { caseOf, caseRow, decided, measuredRow } from '../support/deciding.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'

const DAYS = 730

it('a case is deleted when it was decided long ago and nothing is in force, and a later case of its thing has its measure', async () => {
  const ada = contextOf(newUserId())
  const [lifted, blocked, picture] = [
    await asset(ada, 'lifted'),
    await asset(ada, 'blocked'),
    await file(ada),
  ]
  const targets = [
    { type: 'asset' as const, id: lifted.id },
    { type: 'file' as const, id: picture.id },
    { type: 'asset' as const, id: blocked.id },
  ]
  for (const [place, target] of targets.entries()) {
    const { id } = await decided(await caseOf(target), 'block')
    if (place < 2) await liftDecision(contextOf(newUserId()), id)
  }
  await runJobIn(DAYS - 1)
  expect(await countOf('cases')).toBe(3)
  await runJobIn(DAYS + 1)
  expect(await countOf('cases')).toBe(1)
  expect(await countOf('decisions')).toBe(1)
  expect(await measuredRow(blocked.id)).toMatchObject({ blocked: 1 })
  await expectSound(ada.user_id)
  for (const target of targets.slice(0, 2)) {
    const case_id = await caseOf(target)
    await decided(case_id, 'block')
    expect(await caseRow(case_id)).toMatchObject({ sequence: 1, applied: 1 })
  }
  expect(await measuredRow(lifted.id)).toMatchObject({ blocked: 1 })
  expect(await countOf('files WHERE id = ? AND blocked = 1', picture.id)).toBe(1)
  await expectSound(ada.user_id)
})
