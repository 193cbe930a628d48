import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { listAssets } from '../../src/features/assets/list.ts'
import { setFavorite } from '../../src/features/favorites/set.ts'
import { listFiles } from '../../src/features/files/list.ts'
import { listSharedWith, listSharesOf } from '../../src/features/shares/read.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { asset, folder, newVersion, standingOf, there, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { everywhere } from '../support/databases.ts'
import { leftOf, page, publish, scene, share } from '../support/erasing.ts'
import { expectSound } from '../support/invariants.ts'
import { died, dieEverywhere } from '../support/mortal.ts'
import { expectAgreedIn, removed } from '../support/objects.ts'
import { race, rounds } from '../support/race.ts'

describe('erasing a user', () => {
  it('takes what was made before it and nothing that is made after, whatever goes on at the same time', async () => {
    await rounds({ settle: removed }, async (round) => {
      const { ada, bob, top, inside, source, theirs } = await scene()
      const kept = await branchAsset(bob, source.id, { name: 'kept' })
      const [erased, started, versioned, , branched, shared, given, folded, published] =
        await round.race<unknown>([
          () => eraseUser(ada, ada.user_id),
          () => upload(ada, top.id),
          () => newVersion(ada, source.id),
          () => publish(ada),
          () => branchAsset(bob, source.id, { name: 'late' }),
          () => share(ada, inside.id, bob),
          () => share(bob, theirs.id, ada),
          () => folder(ada, 'late'),
          () => asset(ada, 'late'),
        ])
      const visible = async () => ({
        files: (
          await listFiles(ada, { ...page, parent_id: undefined, asset_type: undefined, sort: 'name' })
        ).rows.map(({ name }) => name),
        assets: (await listAssets(ada, { ...page, type: undefined, deleted: false })).rows.map(
          ({ name }) => name,
        ),
        shares: (await listSharedWith(ada, page)).rows.length,
        taken: (await listSharesOf(bob, theirs.id)).length,
      })
      const before = await visible()
      round.later(async () => {
        expect(await visible(), 'what could be seen stays, and nothing comes back').toEqual(before)
        const left = await leftOf(ada.user_id)
        expect(left, 'nothing is left unseen').toMatchObject({
          files: before.files.length,
          assets: before.assets.length,
          uploads: before.assets.length,
          shares: before.shares,
          erasures: 0,
        })
        for (const [outcome, isThere] of [
          [folded, before.files.length],
          [published, before.assets.length],
          [given, before.shares],
        ] as const) {
          expect([0, 1]).toContain(isThere)
          round.fork('it stays', isThere === 1)
          if (outcome?.code || round.isBefore(outcome, erased)) expect(isThere).toBe(0)
          else if (round.isBefore(erased, outcome)) expect(isThere).toBe(1)
        }
        expect([before.taken, await standingOf(ada, top.id)]).toEqual([before.shares, 'gone'])
        for (const [outcome, code] of [
          [started, 'FILE_PARENT_NOT_FOUND'],
          [versioned, 'ASSET_NOT_FOUND'],
          [shared, 'FILE_NOT_FOUND'],
        ] as const)
          if (round.isBefore(erased, outcome)) expect(outcome?.code).toBe(code)
        const branches = await everywhere<{ name: string }>(
          'SELECT name FROM game_assets WHERE owner_id = ? ORDER BY name',
          bob.user_id,
        )
        expect(branches.map(({ name }) => name)).toEqual(branched?.code ? ['kept'] : ['kept', 'late'])
        expect(await env.BUCKET.head(there(kept.version).object_key)).not.toBeNull()
        expect(await everywhere('SELECT id FROM files WHERE owner_id = ?', bob.user_id)).toEqual([
          { id: theirs.id },
        ])
        await expectSound(ada.user_id, bob.user_id)
      })
    })
    await expectAgreedIn(3)
  })

  it('hides all that was made before, or nothing, whichever call its request died at', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const { ada, bob, top, source } = await scene()
      const { upload: open } = await upload(ada)
      await arrive(open.id)
      const isDead = await died(eraseUser(dying(bob), ada.user_id))
      const outcomes = await race<unknown>(
        0,
        [
          () => completeUpload(ada, open.id),
          () => folder(ada, 'late', top.id),
          () => branchAsset(bob, source.id, { name: 'late' }),
          () => setFavorite(bob, source.id),
        ],
        'forwards',
      )
      const codes = outcomes.map(({ code }) => code)
      expect([
        ['UPLOAD_NOT_FOUND', 'FILE_PARENT_NOT_FOUND', 'ASSET_NOT_FOUND', 'ASSET_NOT_FOUND'],
        [undefined, undefined, undefined, undefined],
      ]).toContainEqual(codes)
      return isDead
    })
    expect(deaths).toBeGreaterThan(3)
  })
})
