import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { emptyTrash } from '../../src/features/trash/empty.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { restoreFile } from '../../src/features/trash/restore.ts'
import { runJob } from '../../src/janitor/run.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { file, folder, standingOf, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, homeOf, placeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { dieEverywhere } from '../support/mortal.ts'
import { expectRecordsAndObjectsAgree, jobIn, plantOrphan, runEach, runJobIn } from '../support/objects.ts'

interface Scene {
  work: RequestContext
  kept: string
  inner: string
}

/** Fails unless the job has purged the folders, and nothing else. */
async function expectDone(scenes: Scene[]): Promise<void> {
  for (const [death, { work, kept, inner }] of scenes.entries()) {
    expect(await standingOf(work, kept), `death ${death + 1}`).toBe('trashed')
    expect(await standingOf(work, inner), `death ${death + 1}`).toBe('gone')
  }
}

/** As many deaths the healthy run comes after: the one that is killed next goes on with what the last has left. */
const BEFORE_THE_HEALTHY = 3

describe('a job that is killed at any of its calls', () => {
  it('is finished by the next run: records and objects agree, and counters equal a recount', async () => {
    await runJobIn(9)
    const scenes: Scene[] = []
    let unseen: Scene[] = []
    const putBack: (() => Promise<void>)[] = []
    const deaths = await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const outer = await folder(work, 'outer')
      const inner = await folder(work, 'inner', outer.id)
      for (const parent of [null, outer.id, inner.id]) await file(work, parent)
      const open = await upload(work, inner.id)
      await arrive(open.upload.id)
      const kept = await file(work, inner.id)
      await deleteFile(work, kept.id)
      await deleteFile(work, outer.id)
      await homeOf(work.user_id).prepare('UPDATE files SET purging = 1 WHERE id = ?').bind(outer.id).run()
      const expiring = await upload(work)
      await arrive(expiring.upload.id)
      putBack.push(await plantOrphan())
      // Not so late that the walk, which begins anew, comes to the objects of the deaths before this one.
      const report = await runJob(dying(jobIn(1.9, databaseNames[placeOf(work.user_id)])))
      const scene = { work, kept: kept.id, inner: inner.id }
      scenes.push(scene)
      unseen.push(scene)
      const isKilled = report.failed !== undefined
      if (isKilled && unseen.length < BEFORE_THE_HEALTHY) return true
      for (const { failed } of await runEach(1.95)) expect(failed).toBeUndefined()
      for (const back of putBack.splice(0).reverse()) await back()
      await expectDone(unseen)
      unseen = []
      return isKilled
    })
    expect(deaths).toBeGreaterThan(11)
    console.log(`killed jobs: ${deaths} deaths`)
    // What each death has left is due at another time than the runs before: these come once, after all deaths.
    await runJobIn(4)
    await runJobIn(12)
    await expectSound(...scenes.map(({ work }) => work.user_id))
    await expectRecordsAndObjectsAgree()
    await expectDone(scenes)
  })

  it('also when it was a user’s purging or emptying that was cut off', async () => {
    const scenes: { work: RequestContext; outer: string; expected: string }[] = []
    for (const purge of [purgeFile, emptyTrash])
      await dieEverywhere(async (dying) => {
        const work = contextOf(newUserId())
        const outer = await folder(work, 'outer')
        await file(work, outer.id)
        await deleteFile(work, outer.id)
        const killed = await purge(dying(work), outer.id).then(
          () => false,
          () => true,
        )
        await expectSound(work.user_id)
        const isTrashed = (await standingOf(work, outer.id)) === 'trashed'
        if (isTrashed) await restoreFile(work, outer.id)
        scenes.push({ work, outer: outer.id, expected: isTrashed ? 'live' : 'gone' })
        return killed
      })
    await runJobIn(3)
    for (const { work, outer, expected } of scenes) expect(await standingOf(work, outer)).toBe(expected)
    await expectSound(...scenes.map(({ work }) => work.user_id))
    await expectRecordsAndObjectsAgree()
  })
})
