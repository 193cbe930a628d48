import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { markerKey } from '../../src/features/assets/markers.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { readFile } from '../../src/features/files/read.ts'
import { fileRecord } from '../../src/features/files/row.ts'
import { createShare } from '../../src/features/shares/create.ts'
import { revokeShare } from '../../src/features/shares/revoke.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import { runJob } from '../../src/janitor/run.ts'
import { BATCH_SIZE } from '../../src/platform/context.ts'
import { newId } from '../../src/platform/db/id.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { file, folder, standingOf, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { countOf, databaseOf, overEvery } from '../support/databases.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { meteredDatabase } from '../support/meter.ts'
import { expectRecordsAndObjectsAgree, jobIn, runJobIn } from '../support/objects.ts'
import { seedSiblings } from '../support/seed.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const isThere = async (key: string) => (await env.BUCKET.head(key)) !== null

describe('the scheduled job', () => {
  it('purges what has been in the trash for TRASH_RETENTION_DAYS, and nothing younger', async () => {
    const work = contextOf(newUserId())
    const [old, young, kept] = [await folder(work, 'old'), await file(work), await file(work)]
    const inside = await file(work, old.id)
    await deleteFile({ ...work, now_ms: work.now_ms - 30 * DAY_MS - 60_000 }, old.id)
    await deleteFile({ ...work, now_ms: work.now_ms - 30 * DAY_MS + 60_000 }, young.id)
    await runJobIn(0)
    const states = await Promise.all([old, inside, young, kept].map(({ id }) => standingOf(work, id)))
    expect(states).toEqual(['gone', 'gone', 'trashed', 'live'])
    expect(await countOf('files WHERE id IN (?, ?)', old.id, inside.id)).toBe(0)
    expect([await isThere(inside.object_key ?? ''), await isThere(young.object_key ?? '')]).toEqual([
      false,
      true,
    ])
    await expectSound(work.user_id)
  })

  it('expires open uploads, and releases what they reserved; what has been completed stays', async () => {
    await runJobIn(1.1) // Nothing else is left that would give the removal of objects a second turn.
    const work = contextOf(newUserId())
    const [open, completing, completed] = [await upload(work), await upload(work), await file(work)]
    await arrive(open.upload.id)
    await databaseOf(completing.upload.id)
      .prepare(`UPDATE uploads SET state = 'completing' WHERE id = ?`)
      .bind(completing.upload.id)
      .run()
    await runJobIn(0.9)
    expect(await countOf('uploads WHERE owner_id = ?', work.user_id)).toBe(3)
    await runJobIn(1.1)
    expect(await countOf('uploads WHERE owner_id = ?', work.user_id)).toBe(1)
    for (const { file } of [open, completing]) expect(await standingOf(work, file.id)).toBe('gone')
    expect(await isThere(open.upload.id)).toBe(false)
    expect((await readFile(work, completed.id)).item.processing_state).toBe('ready')
    await expect(completeUpload(work, open.upload.id)).rejects.toThrow('UPLOAD_NOT_FOUND')
    await expectSound(work.user_id)
  })

  it('removes an object that a PUT created after its upload was aborted, expired or purged, and then forgets its key', async () => {
    const work = contextOf(newUserId())
    const [aborted, purged, expired] = [await upload(work), await upload(work), await upload(work)]
    await abortUpload(work, aborted.upload.id)
    await deleteFile(work, purged.file.id)
    await purgeFile(work, purged.file.id)
    const keys = [aborted, purged, expired].map((started) => started.upload.id)
    await runJobIn(0)
    for (const key of keys) await arrive(key)
    // The last uploads have expired, and with them the last URLs; a PUT that began in time may still end.
    await runJobIn(1.01)
    expect(await Promise.all(keys.map(isThere))).toEqual([false, false, false])
    // A day after the last URL, which the one that the job has expired had until its own time was over.
    for (const key of keys) await arrive(key)
    await runJobIn(2.05)
    expect(await Promise.all(keys.map(isThere))).toEqual([false, false, false])
    expect(await countOf('garbage WHERE object_key IN (?, ?, ?)', ...keys)).toBe(0)
    await expectRecordsAndObjectsAgree()
  })

  it('removes content for good when its file is purged, though its upload URL could still create it again', async () => {
    const work = contextOf(newUserId())
    const { object_key, id } = await file(work)
    await deleteFile(work, id)
    await purgeFile(work, id)
    await runJobIn(0)
    expect(await isThere(object_key ?? '')).toBe(false)
    expect(await countOf('garbage WHERE object_key = ?', object_key), 'still to be looked at').toBe(1)
    await arrive(object_key ?? '')
    await runJobIn(3)
    expect(await isThere(object_key ?? '')).toBe(false)
  })

  it('removes a marker that no version needs, in the run that finds it', async () => {
    await runJobIn(4)
    const key = markerKey({ object_key: newId(newUserId()), asset_id: newId(newUserId()) })
    await env.BUCKET.put(key, '')
    await runJobIn(5)
    expect(await isThere(key)).toBe(false)
  })

  it('flags expired shares, forgets idempotency keys after a day and ended uploads a day after their time', async () => {
    const work = contextOf(newUserId())
    const key = { caller_id: work.user_id, key: 'k', request_hash: 'h', now: Math.floor(work.now_ms / 1_000) }
    const { id } = await file(work)
    const expires_at = Math.floor(work.now_ms / 1_000) + 60
    await createShare(work, id, { grantee_id: 'bob', permission: 'view', expires_at }, key)
    const { id: of_eve } = await createShare(work, id, { grantee_id: 'eve', permission: 'view' })
    await runJobIn(0.5)
    expect(await countOf('shares WHERE file_id = ? AND expired = 1', id)).toBe(1)
    expect(fileRecord((await readFile(work, id)).item).shared).toBe(true)
    await revokeShare(work, of_eve)
    expect(fileRecord((await readFile(work, id)).item)).not.toHaveProperty('shared')
    expect(await countOf('idempotency WHERE caller_id = ?', work.user_id)).toBe(1)
    await runJobIn(1.1)
    expect(await countOf('idempotency WHERE caller_id = ?', work.user_id)).toBe(0)
    expect(await countOf('uploads WHERE owner_id = ?', work.user_id)).toBe(1)
    await runJobIn(2.1)
    expect(await countOf('uploads WHERE owner_id = ?', work.user_id)).toBe(0)
    expect((await readFile(work, id)).item.processing_state).toBe('ready')
  })

  it('purges 6,000 items in bounded steps', async () => {
    const steps: { rows_read: number; rows_written: number }[] = []
    const counted = (results: D1Result[]) =>
      steps.push({
        rows_read: results.reduce((sum, { meta }) => sum + meta.rows_read, 0),
        rows_written: results.reduce((sum, { meta }) => sum + meta.rows_written, 0),
      })
    const work = contextOf(newUserIdIn(FIRST), {}, { MAX_ITEMS: 1_000_000 })
    const top = await folder(work, 'top')
    const deep = await folder(work, 'deep', (await folder(work, 'mid', top.id)).id)
    await seedSiblings(work.user_id, top.id, 3_000)
    await seedSiblings(work.user_id, deep.id, 3_000)
    await deleteFile(work, top.id)
    await purgeFile(work, top.id)
    const job = jobIn(0)
    const databases = databasesOver(overEvery((database) => meteredDatabase(database, counted)))
    const db = databases.whole(FIRST)
    for (let runs = 0; runs < 3; runs++) await runJob({ ...job, db, databases })
    expect(await countOf('files WHERE owner_id = ?', work.user_id)).toBe(0)
    const most = (column: 'rows_read' | 'rows_written') => Math.max(...steps.map((step) => step[column]))
    console.log(
      `6,000 items purged; the largest step: ${most('rows_read')} rows read, ${most('rows_written')} written`,
    )
    expect(most('rows_written')).toBeLessThanOrEqual(12 * BATCH_SIZE)
    expect(most('rows_read')).toBeLessThanOrEqual(25 * BATCH_SIZE)
    expect(steps.filter(({ rows_written }) => rows_written > BATCH_SIZE).length).toBeGreaterThan(10)
    await expectSound(work.user_id)
  }, 120_000)
})

describe('purging files with many shares', () => {
  it('goes in bounded steps, too', async () => {
    const written: number[] = []
    const work = contextOf(newUserIdIn(FIRST))
    const top = await folder(work, 'top')
    await seedSiblings(work.user_id, top.id, 100)
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, created_at)
      SELECT id || i, id, owner_id, 'user ' || i, 'view', 1 FROM files, n WHERE owner_id = ? AND asset_type <> 'folder'`,
    )
      .bind(work.user_id)
      .run()
    await deleteFile(work, top.id)
    const databases = databasesOver(
      overEvery((database) =>
        meteredDatabase(database, (results) => written.push(...results.map(({ meta }) => meta.rows_written))),
      ),
    )
    await purgeFile({ ...work, db: databases.home(work.user_id), databases }, top.id)
    const db = databases.whole(FIRST)
    for (let runs = 0; runs < 3; runs++) await runJob({ ...jobIn(0), db, databases })
    expect(await countOf('files WHERE owner_id = ?', work.user_id)).toBe(0)
    expect(await countOf(`shares WHERE id LIKE ? || '%'`, top.id)).toBe(0)
    expect(Math.max(...written)).toBeLessThanOrEqual(5 * BATCH_SIZE)
    await expectSound(work.user_id)
  })
})
