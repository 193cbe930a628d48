import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { there } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { Creator } from '../support/creator.ts'
import { databaseNames, databaseOf, placeOf } from '../support/databases.ts'
import { tokenFor } from '../support/identities.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { expectInPlace, expectNothingSuperfluous, expectSound, markers } from '../support/invariants.ts'
import { meter } from '../support/meter.ts'
import { expectAgreedIn, expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { counted, reconcile } from '../support/reconciling.ts'
import type { Fetch } from '../support/service.ts'
import { Gate } from './content/gates.ts'

const creator = async (id: string, service?: Fetch) => new Creator(id, await tokenFor(id), service)

/** Ada's asset with a variant. */
async function shared() {
  const ada = await creator(newUserId())
  const asset = await ada.asset('castle', { visibility: 'public' }, 'for all')
  await ada.variant(asset, 1, 'ios', 'of ios')
  return { ada, asset }
}

/** The same, and a user in each database who has a branch of it. */
async function scene() {
  const { ada, asset } = await shared()
  const users = await Promise.all(databaseNames.map((name) => creator(newUserIdIn(name))))
  const branches = await Promise.all(users.map(async (user) => ({ user, ...(await user.branched(asset)) })))
  return { ada, asset, users, branches }
}

describe('a branch of an asset with variants, in each database', () => {
  it('has the variants, which stay when the source is purged and go when the branches do', async () => {
    const { ada, asset, users, branches } = await scene()
    for (const { user, asset: branch, version } of branches) {
      expect(version.variants).toMatchObject([{ platform: 'ios', size_bytes: 6 }])
      expect(await user.contentOf(branch, 1, 'ios')).toBe('of ios')
      expect((await user.quota()).used_bytes).toBe(13)
    }
    expect((await markers()).there.length).toBeGreaterThan(databaseNames.length)
    await expectInPlace()
    await ada.deleteAsset(asset, '?permanent=true')
    for (const days of [4, 8]) {
      await runJobIn(days)
      for (const { user, asset: branch } of branches) {
        expect(await user.contentOf(branch, 1)).toBe('for all')
        expect(await user.contentOf(branch, 1, 'ios')).toBe('of ios')
      }
    }
    await expectRecordsAndObjectsAgree()
    await expectNothingSuperfluous()
    // One branch loses its variant alone: the others keep the content.
    const [first, ...others] = branches
    if (!first) throw new Error('there is no branch')
    expect((await first.user.deleteVariant(first.asset, 1, 'ios')).status).toBe(204)
    await runJobIn(12)
    for (const { user, asset: branch } of others)
      expect(await user.contentOf(branch, 1, 'ios')).toBe('of ios')
    for (const { user, asset: branch } of branches) await user.deleteAsset(branch, '?permanent=true')
    await expectSound(ada.id, ...users.map(({ id }) => id))
    // A hint goes a month after the last branch at the latest.
    for (const days of [16, 32, 34]) await runJobIn(days)
    await expectAgreedIn(36)
    await expectNothingSuperfluous()
    expect(await markers()).toEqual({ needed: [], there: [] })
  })

  it('keeps the contents while a later version of it has them, also when the source is purged', async () => {
    const { ada, asset, branches } = await scene()
    for (const { user, asset: branch } of branches) {
      expect((await user.rollBack(branch, { from_version: 1 })).status).toBe(201)
      expect((await user.deleteVersion(branch, 1)).status).toBe(204)
    }
    await runJobIn(4)
    await ada.deleteAsset(asset, '?permanent=true')
    for (const days of [8, 12]) await runJobIn(days)
    for (const { user, asset: branch } of branches) {
      expect(await user.contentOf(branch, 2)).toBe('for all')
      expect(await user.contentOf(branch, 2, 'ios')).toBe('of ios')
    }
    await expectRecordsAndObjectsAgree()
  })

  it('reads few rows, however many versions share the contents', async () => {
    const { ada, asset } = await shared()
    for (const platform of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await ada.variant(asset, 1, platform)
    const source = databaseOf(asset.id)
    const rest = `FROM asset_versions AS made JOIN asset_variants AS old USING (asset_id)
      WHERE asset_id = ? AND made.version > 1 AND old.version = 1`
    await source.batch(
      [
        `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, checksum_sha256, created_at)
        SELECT asset_id, i, id || i, size_bytes, mime_type, object_key, checksum_sha256, created_at
        FROM n, asset_versions WHERE asset_id = ? ORDER BY i`,
        `INSERT INTO asset_variants (asset_id, version, platform, size_bytes, mime_type, object_key, checksum_sha256, created_at)
        SELECT asset_id, made.version, old.platform, old.size_bytes, old.mime_type, old.object_key, old.checksum_sha256, old.created_at ${rest}`,
      ].map((statement) => source.prepare(statement).bind(asset.id)),
    )
    const metered = meter()
    for (const name of databaseNames) {
      const user = await creator(newUserIdIn(name), metered.service)
      const cost = await metered.of(async () => {
        const { version } = await user.branched(asset)
        expect(version.variants).toHaveLength(8)
      })
      expect(cost.rows_read, name).toBeLessThanOrEqual(160)
    }
    await expectSound(ada.id)
  })

  it('gives the variants back to the user who uploaded them, and their contents wait for their deletion no longer', async () => {
    const { ada, asset, branches } = await scene()
    await ada.deleteAsset(asset, '?permanent=true')
    await runJobIn(4)
    for (const { user, asset: branch } of branches) {
      await user.editAsset(branch, { visibility: 'public' })
      const own = await ada.branched(branch, `of ${user.id}`)
      expect(own.version.variants).toMatchObject([{ platform: 'ios' }])
      await expectSound(ada.id)
      await user.deleteAsset(branch, '?permanent=true')
      await runJobIn(8)
      expect(await ada.contentOf(own.asset, 1, 'ios')).toBe('of ios')
      await ada.deleteAsset(own.asset, '?permanent=true')
    }
    await expectAgreedIn(12)
  })

  it('gives none of them back whose content has gone meanwhile', async () => {
    const { ada, asset, branches } = await scene()
    const far = there(branches.find(({ user }) => placeOf(user.id) !== placeOf(ada.id)))
    await far.user.editAsset(far.asset, { visibility: 'public' })
    for (const one of [{ user: ada, asset }, ...branches])
      if (one !== far) await one.user.deleteAsset(one.asset, '?permanent=true')
    const beforeTheBranch = new Gate(4)
    const goOn = await beforeTheBranch.begin(() =>
      branchAsset(beforeTheBranch.through(contextOf(ada.id)), far.asset.id, { name: 'back' }),
    )
    expect((await far.user.deleteVariant(far.asset, 1, 'ios')).status).toBe(204)
    for (const days of [4, 8]) await runJobIn(days)
    await goOn()
    expect(beforeTheBranch.wasReached).toBe(true)
    const [back] = (await ada.assets('/assets')).assets
    expect((await ada.readVersion(there(back), 1)).variants).toEqual([])
    await expectSound(ada.id, far.user.id)
    await expectRecordsAndObjectsAgree()
  })

  it('is found by a reconciliation that misses the marker of a variant’s content, and gets it back', async () => {
    const { users, ada } = await scene()
    const { needed, there } = await markers()
    expect(there.toSorted()).toEqual(needed.toSorted())
    await env.BUCKET.delete(there)
    expect(counted((await reconcile({ repair: true })).found)).toMatchObject({
      marker_is_missing: needed.length,
    })
    await expectInPlace()
    expect(counted((await reconcile()).found)).not.toHaveProperty('marker_is_missing')
    await expectSound(ada.id, ...users.map(({ id }) => id))
  })
})
