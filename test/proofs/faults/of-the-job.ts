import { env } from 'cloudflare:test'
import { expect } from 'vitest'
import { deleteAsset } from '../../../src/features/assets/delete.ts'
import { deleteFile } from '../../../src/features/files/delete.ts'
import { createShare } from '../../../src/features/shares/create.ts'
import { abortUpload } from '../../../src/features/uploads/transitions.ts'
import { runJob } from '../../../src/janitor/run.ts'
import { eraseUser } from '../../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../../src/platform/context.ts'
import { newId } from '../../../src/platform/db/id.ts'
import { databasesOf, FIRST } from '../../../src/platform/shards/map.ts'
import { standingOf, upload } from '../../support/acts.ts'
import { arrive } from '../../support/content.ts'
import { contextOf, databasesOver } from '../../support/context.ts'
import { databaseNames, homeOf, placeOf } from '../../support/databases.ts'
import { publishTo } from '../../support/device.ts'
import { newUserId } from '../../support/ids.ts'
import { expectSound } from '../../support/invariants.ts'
import { overridden } from '../../support/meter.ts'
import { expectRecordsAndObjectsAgree, jobIn, plantOrphan, runEach } from '../../support/objects.ts'
import { inParts } from './arrivals.ts'
import { Faulty } from './bindings.ts'
import type { Faults } from './fault.ts'
import type { InParts } from './scene.ts'
import { stock, stockAsset } from './stock.ts'
import { expectPartsGivenUp, figures, inTime } from './trial.ts'

/** A user's account in which there is something to do for every task of the job two days from now. */
interface Due {
  work: RequestContext
  /** Deleted by itself before the folder around it was: it stays in the trash. */
  kept: { id: string }
  erased: RequestContext
  aborted: InParts[]
  putBack: () => Promise<void>
}

async function due(): Promise<Due> {
  const [work, erased] = [contextOf(newUserId()), contextOf(newUserId())]
  const thing = (name: string) => ({ id: newId(work.user_id), name })
  const [outer, inside, kept] = [thing('outer'), thing('inside'), thing('kept')]
  const [shared, own] = [thing('shared'), thing('own')]
  await stock(
    work,
    { ...outer, type: 'folder', in_trash: true },
    { ...inside, type: 'file', parent: outer },
    { ...kept, type: 'file', parent: outer, in_trash: true },
    { ...shared, type: 'file' },
  )
  await homeOf(work.user_id).prepare('UPDATE files SET purging = 1 WHERE id = ?').bind(outer.id).run()
  const expires_at = Math.floor(work.now_ms / 1_000) + 60
  await createShare(work, shared.id, { grantee_id: 'somebody', permission: 'view', expires_at })
  for (const name of ['first', 'second']) {
    const asset = await stockAsset(work, name, 'private')
    await deleteAsset({ ...work, now_ms: 0 }, asset.id)
  }
  const [open, ...aborted] = [await upload(work), await inParts(work), await inParts(work)]
  await arrive(open.upload.id)
  // R2 is deaf when they are aborted, so their parts are left to the job.
  const bucket = overridden(env.BUCKET, { resumeMultipartUpload: () => undefined, delete: () => undefined })
  for (const { id } of aborted) await abortUpload({ ...work, bucket }, id)
  const putBack = await plantOrphan()
  await stock(erased, { ...own, type: 'file' })
  await publishTo({ id: erased.user_id })
  await eraseUser(erased, erased.user_id)
  await deleteFile(work, shared.id)
  return { work, kept, erased, aborted, putBack }
}

/** A run of the job two days from now, in which some calls fail, hang or are late. Tells which calls it made. */
async function run(faults: Faults, user_id: string): Promise<{ faulty: Faulty; failed: string[] }> {
  const faulty = new Faulty(faults)
  const { config, now_ms } = jobIn(2)
  const { BUCKET, INBOX, SAVES } = faulty.env
  const { timeout_ms } = faulty
  const databases = databasesOver(databasesOf(faulty.env), { timeout_ms })
  const job = {
    db: databases.whole(databaseNames[placeOf(user_id)] ?? FIRST),
    databases,
    bucket: BUCKET,
    inboxes: INBOX,
    saves: SAVES,
    config: { ...config, CALL_TIMEOUT_MS: timeout_ms },
    now_ms,
    pause: async () => {},
  }
  const { failed = [] } = await inTime(runJob(job), faulty)
  return { faulty, failed }
}

/** The calls that a run makes with which nothing goes wrong. */
export async function rehearseJob(): Promise<Faulty['calls']> {
  const { putBack, work } = await due()
  const { faulty, failed } = await run(new Map(), work.user_id)
  expect(failed, 'the tasks that failed with nothing out of order').toEqual([])
  await putBack()
  return faulty.calls
}

/**
 * Runs with which something does, each of which finds an account of its own, and what they leave: nothing, when healthy ones
 * have come after the last.
 */
export async function undergoJob(some: Faults[]): Promise<void> {
  const struck: { account: Due; faulty: Faulty }[] = []
  for (const faults of some) {
    const account = await due()
    figures.trials++
    const { faulty, failed } = await run(faults, account.work.user_id)
    figures.faults += faulty.struck
    expect(failed.length, `only the task that met it has failed: ${failed}`).toBeLessThanOrEqual(
      faulty.struck,
    )
    for (const when of ['at once', 'before the retry'] as const) await faulty.come(when)
    struck.push({ account, faulty })
  }
  await runJobs(2.1, 'the next run')
  for (const { faulty } of struck) await faulty.come('after the retry')
  for (const { account } of struck.toReversed()) await account.putBack()
  await runJobs(4, 'a later run')
  await runJobs(12, 'when orphans go')
  for (const { account } of struck) {
    const { work, kept, erased, aborted } = account
    expect(await standingOf(work, kept.id)).toBe('trashed')
    expect(await leftOf(work.user_id)).toEqual({ files: 2, assets: 0, uploads: 0, shares: 1 })
    expect(await leftOf(erased.user_id)).toEqual({ files: 0, assets: 0, uploads: 0, shares: 0 })
    await expectSound(work.user_id, erased.user_id)
    await expectPartsGivenUp(aborted)
  }
  await expectRecordsAndObjectsAgree()
}

/** A run of the job of each database, in which no task may fail. */
async function runJobs(days: number, which: string): Promise<void> {
  for (const { failed } of await runEach(days)) expect(failed, which).toBeUndefined()
}

async function leftOf(user_id: string): Promise<unknown> {
  return homeOf(user_id)
    .prepare(
      `SELECT (SELECT count(*) FROM files WHERE owner_id = ?1) AS files,
      (SELECT count(*) FROM game_assets WHERE owner_id = ?1) AS assets,
      (SELECT count(*) FROM uploads WHERE owner_id = ?1) AS uploads,
      (SELECT count(*) FROM shares JOIN files ON files.id = file_id WHERE files.owner_id = ?1 AND expired = 1) AS shares`,
    )
    .bind(user_id)
    .first()
}
