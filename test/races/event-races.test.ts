import { beforeAll, describe, expect, inject, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { deleteVersion } from '../../src/features/assets/delete-version.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { createShare } from '../../src/features/shares/create.ts'
import { leaveSharesOf, revokeShare } from '../../src/features/shares/revoke.ts'
import { emptyTrash } from '../../src/features/trash/empty.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { restoreFile } from '../../src/features/trash/restore.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import { runJob } from '../../src/janitor/run.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockAsset, unblockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { asset, file, folder, newAsset, newVersion, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { configWithEvents } from '../support/events.ts'
import { expectEventsOfFacts, noteFacts } from '../support/facts.ts'
import { newUserId } from '../support/ids.ts'
import { died, dyingAt } from '../support/mortal.ts'
import { jobIn, runJobIn } from '../support/objects.ts'
import { chances } from '../support/race.ts'
import { seeded } from '../support/seeded.ts'

const config = configWithEvents({ DEFAULT_QUOTA_BYTES: 40 })

beforeAll(noteFacts)

/** As many as are asked for; few in a short run, because each round ends with runs of the job. */
const ROUNDS = inject('proof').rounds > 12 ? inject('proof').rounds : 4

/** What two users have, and what they may do with it at the same time. */
async function scene() {
  const [ada, bob] = [contextOf(newUserId(), {}, config), contextOf(newUserId(), {}, config)]
  const place = await folder(ada, 'place')
  const notes = await file(ada, place.id)
  const castle = await asset(ada, 'castle', 'public')
  const open = [
    await upload(ada, place.id),
    await newAsset(ada, 'fort', 'public'),
    await newVersion(ada, castle.id),
  ]
  for (const started of open) await arrive(started.upload.id)
  const wrong = (await upload(ada)).upload.id
  await arrive(wrong, 2)
  const view = { grantee_id: bob.user_id, permission: 'view' } as const
  const share = await createShare(ada, notes.id, view)
  const ids = [...open.map((started) => started.upload.id), wrong]
  const acts: ((ada: RequestContext, bob: RequestContext) => Promise<unknown>)[] = [
    ...ids.flatMap((id) => [
      (ada: RequestContext) => completeUpload(ada, id),
      (ada: RequestContext) => completeUpload(ada, id),
      (ada: RequestContext) => abortUpload(ada, id),
    ]),
    (ada) => upload(ada, null, 20),
    (ada) => upload(ada, null, 9),
    (ada) => createShare(ada, notes.id, view),
    (ada) => revokeShare(ada, share.id),
    (_, bob) => revokeShare(bob, share.id),
    (_, bob) => leaveSharesOf(bob, ada.user_id),
    (ada) => deleteFile(ada, place.id),
    (ada) => deleteFile(ada, notes.id),
    (ada) => restoreFile(ada, place.id),
    (ada) => purgeFile(ada, place.id),
    (ada) => emptyTrash(ada),
    (ada) => deleteAsset(ada, castle.id),
    (ada) => deleteAsset(ada, castle.id, { permanent: true }),
    (ada) => restoreAsset(ada, castle.id, {}),
    (ada) => editAsset(ada, castle.id, { visibility: 'private' }),
    (ada) => editAsset(ada, castle.id, { visibility: 'public' }),
    (ada) => rollBack(ada, castle.id, { from_version: 1 }),
    (ada) => deleteVersion(ada, castle.id, 1),
    (ada) => deleteVersion(ada, castle.id, 2),
    (_, bob) => branchAsset(bob, castle.id, { name: 'mine' }),
    (_, bob) => blockAsset(bob, castle.id),
    (_, bob) => unblockAsset(bob, castle.id),
    (ada, bob) => eraseUser(bob, ada.user_id),
    (ada, bob) => eraseUser(ada, bob.user_id),
    () => runJob(jobIn(0, FIRST, config)),
    () => runJob(jobIn(2, FIRST, config)),
  ]
  return { ada, bob, acts }
}

describe('events', () => {
  it('are written once for what was done and not for what was refused, whatever happens at once and dies', async () => {
    await chances({ count: ROUNDS }, async (round) => {
      const random = seeded(round.seed)
      const { ada, bob, acts } = await scene()
      const chosen = acts.filter(() => random() < 0.4)
      const mortal = (work: RequestContext) =>
        random() < 0.25
          ? dyingAt(work, 1 + Math.floor(random() * 3), random() < 0.5 ? 'before' : 'after')
          : work
      const some = chosen.map((act) => ({ act, users: [mortal(ada), mortal(bob)] as const }))
      await round.race(
        some.map(
          ({ act, users }) =>
            async () =>
              died(act(...users)),
        ),
      )
      for (const days of [0.1, 0.2, 3]) await runJobIn(days, config)
      await expectEventsOfFacts()
    })
    const counts = await expectEventsOfFacts()
    console.log(JSON.stringify(counts))
    expect(Object.keys(counts).length).toBeGreaterThan(8)
  })
})
