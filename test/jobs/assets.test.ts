import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { listAssets } from '../../src/features/assets/list.ts'
import { readVersion } from '../../src/features/assets/read.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import { runJob } from '../../src/janitor/run.ts'
import { BATCH_SIZE, type RequestContext } from '../../src/platform/context.ts'
import { newId } from '../../src/platform/db/id.ts'
import { asset, newVersion, version } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf, homeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { expectRecordsAndObjectsAgree, jobIn, runEach, runJobIn } from '../support/objects.ts'
import { PurgingSteps } from '../support/purging-steps.ts'
import { openAccount, seedVersions } from '../support/seed.ts'

const accountOf = ({ user_id }: RequestContext) =>
  homeOf(user_id)
    .prepare('SELECT used_bytes, assets, open_uploads FROM usage WHERE user_id = ?')
    .bind(user_id)
    .first()

const keyOf = async (work: RequestContext, id: string) => (await readVersion(work, id, 1)).version.object_key

describe('the job, for game assets', () => {
  it('keeps a deleted asset for TRASH_RETENTION_DAYS, counted and restorable, and then removes it', async () => {
    const work = contextOf(newUserId())
    const { id } = await asset(work)
    const key = await keyOf(work, id)
    await deleteAsset(work, id)
    await runJobIn(29)
    expect(await accountOf(work)).toEqual({ used_bytes: 3, assets: 1, open_uploads: 0 })
    expect((await restoreAsset(work, id, {})).current_version).toBe(1)
    await deleteAsset(work, id)
    const report = await runJobIn(31)
    expect(report).toMatchObject({ assets_expired: 1, assets_purged: 2 })
    expect(await accountOf(work)).toEqual({ used_bytes: 0, assets: 0, open_uploads: 0 })
    expect(await env.BUCKET.head(key)).toBeNull()
    await expect(restoreAsset(work, id, {})).rejects.toThrow('ASSET_NOT_FOUND')
    await runJobIn(40)
    await expectRecordsAndObjectsAgree()
    await expectSound(work.user_id)
  })

  it('removes at most BATCH_SIZE variants and as many versions at a time', async () => {
    const work = contextOf(newUserId())
    const { id } = await asset(work)
    await seedVersions(id, 99)
    await databaseOf(id)
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
        INSERT INTO asset_variants (asset_id, version, platform, size_bytes, mime_type, object_key, created_at)
        SELECT asset_id, version, 'platform_' || i, 1, 'text/plain', substr(id, 1, 24) || printf('%08x%04x', version, i), 1700000000
        FROM asset_versions, n WHERE asset_id = ?`,
      )
      .bind(id)
      .run()
    await deleteAsset(work, id)
    const steps = new PurgingSteps(work.user_id)
    await databaseOf(id).prepare('UPDATE game_assets SET purging = 1 WHERE id = ?').bind(id).run()
    const removed = [await steps.purge(), await steps.purge(), await steps.purge()]
    // 500 variants and the 62 versions without any left; 300 variants, 38 versions and the asset.
    expect(removed).toEqual([562, 339, 0])
    await expectSound(work.user_id)
  })

  it('does not touch what a version still refers to, however old it is', async () => {
    const work = contextOf(newUserId())
    const { id } = await asset(work)
    await runJobIn(400)
    expect(await env.BUCKET.head(await keyOf(work, id))).not.toBeNull()
    await expectRecordsAndObjectsAgree()
  })

  it('removes content with the last version that refers to it: a rollback, a branch, a branch of the branch', async () => {
    const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
    const source = await asset(ada, 'source', 'public')
    await rollBack(ada, source.id, { from_version: 1 })
    const branch = await branchAsset(bob, source.id, { name: 'branch' })
    const second = await branchAsset(bob, branch.asset.id, { name: 'second' })
    const key = await keyOf(ada, source.id)
    for (const [owner, id, isThere] of [
      [ada, source.id, true],
      [bob, branch.asset.id, true],
      [bob, second.asset.id, false],
    ] as const) {
      await deleteAsset(owner, id, { permanent: true })
      await runJobIn(0)
      expect((await env.BUCKET.head(key)) !== null).toBe(isThere)
      await expectSound(owner.user_id)
    }
    expect(await accountOf(ada)).toEqual({ used_bytes: 0, assets: 0, open_uploads: 0 })
    expect(await accountOf(bob)).toEqual({ used_bytes: 0, assets: 0, open_uploads: 0 })
  })

  it('keeps content that was branched elsewhere, from a version that came and went while its markers were listed', async () => {
    const work = contextOf(newUserId())
    const { id } = await asset(work)
    const key = await keyOf(work, id)
    await runJobIn(0)
    await deleteAsset(work, id, { permanent: true })
    const marker = `refs/${key}/${newId(newUserId())}`
    let isListed = false
    const bucket = overridden(env.BUCKET, {
      list: async (options: R2ListOptions) => {
        const listed = await env.BUCKET.list(options)
        if (options.prefix === 'refs/' && options.limit === undefined && !isListed) {
          isListed = true
          await env.BUCKET.put(marker, '')
          // The version removed the row from the queue, and its purge inserted another one.
          await databaseOf(key).prepare('UPDATE garbage SET next_at = 0 WHERE object_key = ?').bind(key).run()
        }
        return listed
      },
    })
    for (const different of [{ bucket }, {}]) await runEach(0, different)
    expect(isListed).toBe(true)
    expect(await env.BUCKET.head(key)).not.toBeNull()
    await env.BUCKET.delete(marker)
    await runJobIn(2)
    expect(await env.BUCKET.head(key)).toBeNull()
  })

  it('purges an asset of thousands of versions in steps, gone from every answer at once', async () => {
    const work = contextOf(newUserId())
    const { id } = await asset(work)
    await openAccount(work.user_id)
    const count = 2 * BATCH_SIZE + 500
    await databaseOf(id)
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO asset_versions (id, asset_id, version, size_bytes, mime_type, object_key, created_at)
      SELECT printf('%s-%d', ?1, i), ?1, i, 1, 'a/b', substr(?1, 1, 24) || printf('%012x', i / 2), 1 FROM n`,
      )
      .bind(id)
      .run()
    await deleteAsset(work, id, { permanent: true })
    const left = await databaseOf(id)
      .prepare('SELECT count(*) AS count FROM asset_versions WHERE asset_id = ?')
      .bind(id)
      .first()
    expect(left).toEqual({ count: count - BATCH_SIZE })
    const garbage = await databaseOf(id)
      .prepare(`SELECT count(*) AS count FROM garbage WHERE object_key LIKE ?`)
      .bind(`${id.slice(0, 24)}%`)
      .first('count')
    expect(garbage, 'two versions share each content; one still refers to the last').toBe(BATCH_SIZE / 2 - 1)
    await expect(readVersion(work, id, 1)).rejects.toThrow('ASSET_NOT_FOUND')
    expect(
      (await listAssets(work, { type: undefined, deleted: true, limit: 50, cursor: undefined })).rows,
    ).toEqual([])
    await expectSound(work.user_id)
    await runJobIn(0)
    expect(await accountOf(work)).toEqual({ used_bytes: 0, assets: 0, open_uploads: 0 })
  })

  it('releases what an upload to a purged asset reserved, when it expires', async () => {
    const work = contextOf(newUserId())
    const { id } = await asset(work)
    await newVersion(work, id, 7)
    await deleteAsset(work, id, { permanent: true })
    await runJob(jobIn(0))
    expect(await accountOf(work)).toEqual({ used_bytes: 7, assets: 0, open_uploads: 1 })
    await runJobIn(2)
    expect(await accountOf(work)).toEqual({ used_bytes: 0, assets: 0, open_uploads: 0 })
    await expectSound(work.user_id)
  })

  it('forgets the uploads of versions in time, and the versions stay', async () => {
    const work = contextOf(newUserId())
    const { id } = await asset(work)
    await version(work, id)
    await runJobIn(10)
    const uploads = await homeOf(work.user_id)
      .prepare('SELECT id FROM uploads WHERE owner_id = ?')
      .bind(work.user_id)
      .all()
    expect(uploads.results).toEqual([])
    expect((await readVersion(work, id, 2)).version.version).toBe(2)
    await deleteAsset(work, id, { permanent: true })
    await runJobIn(13)
    await expectRecordsAndObjectsAgree()
  })
})
