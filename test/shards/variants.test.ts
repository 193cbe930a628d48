import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { there } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { Creator } from '../support/creator.ts'
import { databaseNames, placeOf } from '../support/databases.ts'
import { tokenFor } from '../support/identities.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { expectInPlace, expectNothingSuperfluous, expectSound, markers } from '../support/invariants.ts'
import { expectAgreedIn, expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { counted, reconcile } from '../support/reconciling.ts'
import { Gate } from './content/gates.ts'

const creator = async (id: string) => new Creator(id, await tokenFor(id))

/** Ada's asset with a variant, and a user in each database who has a branch of it. */
async function scene() {
  const ada = await creator(newUserId())
  const asset = await ada.asset('castle', { visibility: 'public' }, 'for all')
  await ada.variant(asset, 1, 'ios', 'of ios')
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
