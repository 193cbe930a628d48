import { expect, inject, it } from 'vitest'
import { partitionOf } from '../../src/platform/db/id.ts'
import { fileAtOnce, replaceAtOnce } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, everywhere, placeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { everything, moveAll } from '../support/moving.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { chances } from '../support/race.ts'

/** How many rounds run in a long proof: each moves a partition. */
const MOST_ROUNDS = 50
const { brief, rounds: most } = inject('proof')
/** What was replaced counts as kept, before and after a move. */
const GRACE = { CONTENT_GRACE_DAYS: 1 }

it('replaces content while its owner moves, or not at all: the last that was acknowledged is there, and counts', async () => {
  const seen = { replaced: 0, moving: 0 }
  await chances({ count: brief ? 2 : Math.min(MOST_ROUNDS, Math.max(6, most)) }, async (round) => {
    const ada = contextOf(newUserId(), {}, GRACE)
    const { id } = await fileAtOnce(ada, 3)
    const partition = partitionOf(ada.user_id)
    const target = databaseNames[(placeOf(ada.user_id) + 1 + (round.seed % 2)) % databaseNames.length] ?? 'DB'
    const [moved, replaced] = await round.race<unknown>([
      () => moveAll({ first: partition, last: partition }, target),
      async () => {
        let last = 3
        for (let size = 4; size < 10; size++) {
          const done = await replaceAtOnce(contextOf(ada.user_id, {}, GRACE), id, size).catch((error) => {
            expect(error).toMatchObject({ code: 'UNAVAILABLE' })
            return undefined
          })
          seen[done ? 'replaced' : 'moving']++
          if (done) last = size
        }
        return last
      },
    ])
    expect([moved?.code, replaced?.code]).toEqual([undefined, undefined])
    const rows = await everywhere('SELECT size_bytes, processing_state FROM files WHERE id = ?', id)
    expect(rows).toEqual([{ size_bytes: replaced?.answer, processing_state: 'ready' }])
    expect(await everywhere('SELECT used_bytes FROM usage WHERE user_id = ?', ada.user_id)).toEqual([
      { used_bytes: replaced?.answer },
    ])
    await expectSound(ada.user_id)
  })
  expect(seen.replaced, JSON.stringify(seen)).toBeGreaterThan(0)
  expect(seen.moving, JSON.stringify(seen)).toBeGreaterThan(0)
  expect((await everything()).strays).toEqual([])
  await expectInPlace()
  // What was replaced goes. A write that met the move has left nothing, also not to the walk.
  await runJobIn(2)
  await expectRecordsAndObjectsAgree()
}, 120_000)
