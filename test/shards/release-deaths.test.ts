import { env } from 'cloudflare:test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteChannel, listChannels, setChannel } from '../../src/features/assets/channels.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { deleteVariant } from '../../src/features/assets/delete-variant.ts'
import { readVersion } from '../../src/features/assets/read.ts'
import { versionUrls } from '../../src/features/assets/urls.ts'
import { variantsOf } from '../../src/features/assets/variants.ts'
import { applyMarks } from '../../src/features/catalogue/tasks.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, newVariant, variant, version } from '../support/acts.ts'
import { catalogueFaults, expectCatalogue, expectCatalogueDone } from '../support/catalogue.ts'
import { arrive } from '../support/content.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { databaseNames, everywhere, startOver } from '../support/databases.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { expectInPlace, expectNothingSuperfluous, expectSound, markers } from '../support/invariants.ts'
import { died, dieEverywhere } from '../support/mortal.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { reconcile } from '../support/reconciling.ts'

const [, home = '', other = ''] = databaseNames
const IOS = { version: 1, platform: 'ios' }

/** Everybody whose Worker dies. */
const users: string[] = []

const again = ({ user_id }: RequestContext) => contextOf(user_id)
const withEvents = ({ user_id }: RequestContext) =>
  contextOf(user_id, {}, { WEBHOOK_URL: 'https://game.test/hooks' })

/** Somebody with a public asset in a database without the catalogue. */
async function scene() {
  const ada = contextOf(newUserIdIn(home))
  users.push(ada.user_id)
  return { ada, id: (await asset(ada, 'castle', 'public')).id }
}

/** The variants of version 1. Fails when one has no content. */
async function variantsIn(owner: RequestContext, id: string): Promise<string[]> {
  const found = variantsOf((await readVersion(again(owner), id, 1)).version)
  for (const { platform, object_key } of found)
    expect(await env.BUCKET.head(object_key), `the content for ${platform}`).not.toBeNull()
  return found.map(({ platform }) => platform)
}

/** Fails unless what a death left is right, or has a mark or a state from which a repetition or the job goes on. */
async function expectWhole(...owners: RequestContext[]): Promise<void> {
  await expectInPlace()
  await expectCatalogue()
  await expectSound(...owners.map(({ user_id }) => user_id))
}

beforeAll(startOver)

/** What the deaths have left is due at other times than what tests did: the job comes once, after all of them. */
afterAll(async () => {
  for (const days of [4, 12, 32, 34]) await runJobIn(days)
  await expectSound(...users)
  await expectCatalogueDone()
  await expectRecordsAndObjectsAgree()
  await expectNothingSuperfluous()
  expect(await reconcile({ days: 34 })).toMatchObject({ found: [], refused: [] })
})

describe('a Worker that dies at any call', () => {
  it.each(['repeated', 'not repeated'])('adds a variant or not, when the completion is %s', async (how) => {
    const deaths = await dieEverywhere(async (dying) => {
      const { ada, id } = await scene()
      const { upload } = await newVariant(ada, id, IOS)
      await arrive(upload.id)
      const isDead = await died(completeUpload(dying(again(ada)), upload.id))
      await expectWhole(ada)
      if (how === 'repeated') {
        await completeUpload(again(ada), upload.id)
        expect(await variantsIn(ada, id)).toEqual(['ios'])
        await expectWhole(ada)
      } else expect(['', 'ios']).toContain((await variantsIn(ada, id)).join())
      return isDead
    })
    expect(deaths).toBe(4)
  })

  it('releases a version or not: what others get, the event and the catalogue agree', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const { ada, id } = await scene()
      await version(ada, id)
      const bob = contextOf(newUserId())
      const served = async () => {
        const [url] = await versionUrls(again(bob), [{ asset_id: id }])
        return url && 'url' in url ? url.version : undefined
      }
      const releases = () =>
        everywhere(`SELECT 1 FROM outbox WHERE type = 'asset.released' AND resource_id = ?`, id)
      const release = (by: RequestContext) => setChannel(by, id, 'live', { version: 1 })
      const isDead = await died(release(dying(withEvents(ada))))
      const isLive = (await listChannels(ada, id)).length === 1
      expect([await served(), (await releases()).length]).toEqual(isLive ? [1, 1] : [2, 0])
      await expectWhole(ada)
      for (const name of databaseNames)
        while ((await applyMarks({ databases: databasesOver(), now_ms: Date.now() }, name)) > 0);
      expect(await catalogueFaults()).toEqual([])
      await release(withEvents(ada))
      expect([await served(), (await releases()).length]).toEqual([1, 1])
      return isDead
    })
    expect(deaths).toBe(2)
  })

  it('deletes a channel or not', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const { ada, id } = await scene()
      await version(ada, id)
      await setChannel(ada, id, 'live', { version: 1 })
      const isDead = await died(deleteChannel(dying(again(ada)), id, 'live'))
      await expectWhole(ada)
      return isDead
    })
    expect(deaths).toBe(2)
  })

  it('branches a version with all of its variants or not, and loses no content of one', async () => {
    const { ada, id } = await scene()
    for (const platform of ['ios', 'android']) await variant(ada, id, { version: 1, platform })
    const brancher = contextOf(newUserIdIn(other))
    users.push(brancher.user_id)
    const deaths = await dieEverywhere(async (dying) => {
      const name = crypto.randomUUID()
      const isDead = await died(branchAsset(dying(again(brancher)), id, { name }))
      await expectWhole(ada, brancher)
      return isDead
    })
    expect(deaths).toBe(8)
    const { needed, there } = await markers()
    expect(there.length, 'some markers are of branches that were not made').toBeGreaterThan(needed.length)
    await deleteAsset(again(ada), id, { permanent: true })
    await runJobIn(4)
    const branches = await everywhere<{ id: string }>(
      'SELECT id FROM game_assets WHERE branched_from_asset_id = ?',
      id,
    )
    // The one whose Worker died after its batch, and the one whose Worker did not die.
    expect(branches).toHaveLength(2)
    for (const branch of branches) expect(await variantsIn(brancher, branch.id)).toEqual(['android', 'ios'])
  })

  it('deletes a variant or not, and keeps the content that a branch has', async () => {
    const brancher = contextOf(newUserIdIn(other))
    users.push(brancher.user_id)
    const deaths = await dieEverywhere(async (dying) => {
      const { ada, id } = await scene()
      await variant(ada, id, IOS)
      const { asset: branch } = await branchAsset(again(brancher), id, { name: crypto.randomUUID() })
      const isDead = await died(deleteVariant(dying(again(ada)), id, IOS))
      await expectWhole(ada, brancher)
      const isThere = (await variantsIn(ada, id)).length === 1
      const repeated = deleteVariant(again(ada), id, IOS)
      if (isThere) await repeated
      else await expect(repeated).rejects.toMatchObject({ code: 'VARIANT_NOT_FOUND' })
      await runJobIn(4)
      expect(await variantsIn(brancher, branch.id)).toEqual(['ios'])
      return isDead
    })
    expect(deaths).toBe(2)
  })
})
