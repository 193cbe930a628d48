import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { downloadUrl, readFile } from '../../src/features/files/read.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockFile } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, complete, file, replacement, there, upload, version } from '../support/acts.ts'
import { now } from '../support/back-in-time.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { countOf, databaseNames, everywhere, isCatalogueApart, startOver } from '../support/databases.ts'
import { leftOf, share } from '../support/erasing.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { counted, reconcile } from '../support/reconciling.ts'
import { operator, type User } from '../support/user.ts'

const GRACE = { CONTENT_GRACE_DAYS: 7 }
const NO_GRACE = { CONTENT_GRACE_DAYS: 0 }

async function purge(work: RequestContext, id: string): Promise<void> {
  await deleteFile(work, id)
  await purgeFile(work, id)
}

/** The keys of rows whose objects are missing. */
async function lost(): Promise<string[]> {
  const rows = await everywhere<{ key: string }>(
    `SELECT object_key AS key FROM files WHERE processing_state = 'ready' UNION SELECT object_key FROM asset_versions`,
  )
  const gone = await Promise.all(
    rows.map(async ({ key }) => ((await env.BUCKET.head(key)) === null ? [key] : [])),
  )
  return [...new Set(gone.flat())]
}

/** Rows of every kind, a snapshot, and changes after it. `back` restores the snapshot. */
async function story(limits: typeof GRACE) {
  const [ada, bob] = [contextOf(newUserId(), {}, limits), contextOf(newUserId(), {}, limits)]
  const [purged, replaced, kept] = [await file(ada), await file(ada), await file(ada)]
  await share(ada, purged.id, bob)
  const [castle, forest] = [await asset(ada, 'castle'), await asset(ada, 'forest', 'public')]
  await version(ada, castle.id)
  const branch = await branchAsset(bob, forest.id, { name: 'branch' })
  const [completed, aborted] = [await upload(ada), await upload(ada)]
  await runJobIn(0, limits)
  const back = await now()

  await purge(ada, purged.id)
  const { upload: content } = await replacement(ada, replaced.id)
  await arrive(content.id)
  await complete(ada, content.id)
  await deleteAsset(ada, castle.id, { permanent: true })
  await deleteAsset(ada, forest.id, { permanent: true })
  await deleteAsset(bob, branch.asset.id, { permanent: true })
  await arrive(completed.upload.id)
  await complete(ada, completed.upload.id)
  await abortUpload(ada, aborted.upload.id)
  const later = await file(ada)
  for (const days of [0, 1, 6]) await runJobIn(days, limits)
  return { ada, bob, purged, replaced, kept, castle, forest, branch, completed, later, content, back }
}

beforeEach(async () => {
  await startOver()
})

describe('going back in time', () => {
  it('loses no content that was deleted within the grace period', async () => {
    const { ada, bob, completed, later, content, back, ...rest } = await story(GRACE)
    await back()
    expect(await lost()).toEqual([])

    const dry = await reconcile({ limits: GRACE })
    expect(counted(dry.found)).toEqual({
      object_has_no_record: 2,
      upload_has_arrived: 1,
      // The catalogue's own database has not gone back: the public asset is not in it.
      ...(isCatalogueApart && { entry_differs: 1 }),
      not_paired: databaseNames.length,
    })
    const orphans = dry.found.filter(({ problem }) => problem === 'object_has_no_record')
    expect(orphans.map(({ id }) => id).sort()).toEqual(
      [there(later.object_key ?? undefined), content.id].sort(),
    )
    expect(await everywhere(`SELECT object_key FROM garbage WHERE is_orphan = 1`), 'a dry run').toEqual([])

    const repaired = await reconcile({ repair: true, limits: GRACE })
    expect(counted(repaired.found)).toEqual(counted(dry.found))
    const again = await reconcile({ limits: GRACE })
    expect(counted(again.found)).toEqual({ upload_has_arrived: 1 })
    await complete(ada, completed.upload.id)
    for (const days of [0, 2]) await runJobIn(days, GRACE)
    for (const { id } of orphans)
      expect(await env.BUCKET.head(id), 'for a restore to a later time').not.toBeNull()

    for (const days of [8, 20, 30]) await runJobIn(days, GRACE)
    await expectRecordsAndObjectsAgree()
    for (const { id } of [rest.purged, rest.replaced, rest.kept, completed.file])
      expect((await downloadUrl(ada, id)).url).toContain('X-Amz-Signature')
    for (const work of [ada, bob]) await expectSound(work.user_id)
  })

  it('without a grace period reports the content that was deleted since, and marks its files as failed', async () => {
    const { ada, bob, purged, replaced, back } = await story(NO_GRACE)
    await back()
    expect(await lost()).toHaveLength(5)

    const dry = await reconcile()
    expect(counted(dry.found)).toMatchObject({ content_is_missing: 6, object_has_no_record: 2 })
    expect((await readFile(ada, purged.id)).item.processing_state, 'a dry run').toBe('ready')

    const { found, refused } = await reconcile({ repair: true })
    expect(refused).toEqual([])
    const missing = found.filter(({ problem }) => problem === 'content_is_missing')
    const marked = missing.filter(({ is_repaired }) => is_repaired)
    expect(marked.map(({ id }) => id).sort()).toEqual([purged.id, replaced.id].sort())
    expect((await readFile(ada, purged.id)).item.processing_state).toBe('failed')
    await expect(downloadUrl(ada, purged.id)).rejects.toMatchObject({ code: 'FILE_NOT_READY' })
    for (const work of [ada, bob]) await expectSound(work.user_id)

    const { upload } = await replacement(ada, purged.id)
    await arrive(upload.id)
    expect((await complete(ada, upload.id)).file.processing_state).toBe('ready')
  })

  it('erases again a user who was erased since, and keeps everything that the user made later', async () => {
    const [ada, bob] = [contextOf(newUserId(), {}, GRACE), contextOf(newUserId(), {}, GRACE)]
    const [first, trashed] = [await file(ada), await file(ada)]
    await deleteFile(ada, trashed.id)
    await asset(ada, 'castle')
    await share(bob, (await file(bob)).id, ada)
    await runJobIn(0, GRACE)
    const back = await now()
    await eraseUser(ada, ada.user_id)
    for (const days of [0.01, 1]) await runJobIn(days, GRACE)
    expect(await leftOf(ada.user_id)).toMatchObject({ files: 0, assets: 0, shares: 0, erasures: 0 })
    await back()
    const afterwards = contextOf(ada.user_id, { now_ms: Date.now() + 120_000 }, GRACE)
    const later = await file(afterwards)

    expect(counted((await reconcile({ limits: GRACE })).found)).toMatchObject({ erased_user_is_back: 1 })
    expect((await readFile(ada, first.id)).item.id, 'a dry run').toBe(first.id)
    const { found, ended } = await reconcile({ repair: true, limits: GRACE })
    expect(ended, 'the pictures of the time between').toEqual([['owner', ada.user_id]])
    expect(found.filter(({ problem }) => problem === 'erased_user_is_back')).toMatchObject([
      { id: ada.user_id, is_repaired: true },
    ])
    await expect(readFile(ada, first.id)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    for (const days of [0.01, 1]) await runJobIn(days, GRACE)
    expect(await leftOf(ada.user_id)).toMatchObject({ files: 1, assets: 0, shares: 0, erasures: 0 })
    expect((await readFile(ada, later.id)).item.processing_state).toBe('ready')
    expect(counted((await reconcile({ limits: GRACE })).found)).not.toHaveProperty('erased_user_is_back')
  })

  it('removes the id of a moderator who was erased since from blocks, in every database', async () => {
    const [ada, bob, moderator] = [contextOf(newUserId()), contextOf(newUserId()), contextOf(newUserId())]
    for (const work of [ada, bob]) await blockFile(moderator, (await file(work)).id, { reason: 'a reason' })
    const blocks = () =>
      everywhere<{ reason: string }>('SELECT reason FROM blocks WHERE blocked_by = ?', moderator.user_id)
    await runJobIn(0)
    const back = await now()
    await eraseUser(moderator, moderator.user_id)
    for (const days of [0.01, 1]) await runJobIn(days)
    expect(await blocks()).toEqual([])
    await back()
    const isBack = ({ problem, id }: { problem: string; id: string }) =>
      problem === 'erased_user_is_back' && id === moderator.user_id

    expect((await reconcile({})).found.filter(isBack)).toMatchObject([{ is_repaired: false }])
    expect(await blocks(), 'a dry run').toHaveLength(2)
    expect((await reconcile({ repair: true })).found.filter(isBack)).toMatchObject([{ is_repaired: true }])
    expect(await blocks()).toEqual([])
    expect((await reconcile({})).found.filter(isBack)).toEqual([])
  })
  it('removes the id of a user who was erased since from what was done, as actor and as the one whom it is about', async () => {
    const ada = contextOf(newUserId())
    const [support, eraser] = [await operator('quota:write'), await operator('users:erase')]
    const setQuota = (by: User, user_id: string) =>
      by.request('PUT', `/users/${user_id}/quota`, { json: { limit_bytes: 1 } })
    await setQuota(support, ada.user_id)
    await setQuota(support, 'somebody-else')
    const entries = async () => [
      await countOf('audit WHERE actor = ?', support.id),
      await countOf('audit WHERE user_id = ?', ada.user_id),
    ]
    await runJobIn(0)
    const back = await now()
    for (const { id } of [support, { id: ada.user_id }]) await eraser.request('DELETE', `/users/${id}`)
    for (const days of [0.01, 1]) await runJobIn(days)
    expect(await entries()).toEqual([0, 0])
    await back()
    expect(await entries()).toEqual([2, 1])
    expect(counted((await reconcile({})).found)).toMatchObject({ erased_user_is_back: 2 })
    expect(await entries(), 'a dry run').toEqual([2, 1])
    await reconcile({ repair: true })
    expect(await entries()).toEqual([0, 0])
    const named = await everywhere<{ actor: string }>(
      `SELECT actor FROM audit WHERE user_id = 'somebody-else'`,
    )
    expect(named[0]?.actor, 'the mark of the erasure').toMatch(/^[\da-f-]{36}$/)
    expect(counted((await reconcile({})).found)).not.toHaveProperty('erased_user_is_back')
  })
})
