import { describe, expect, it } from 'vitest'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { removePreview } from '../../src/features/previews/preview.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockAsset } from '../../src/operators/moderation/block.ts'
import { asset, preview, there } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectAgreedIn, removed, runEach } from '../support/objects.ts'
import { isServed, isStored, previewOf } from '../support/previews.ts'
import { chances, rounds, tally } from '../support/race.ts'
import { noting } from './noting.ts'
import { queuedAmong, usedBytes } from './rows.ts'

/** A user with a public asset that has a preview, and the keys of all previews that are stored. */
async function scene(limits = {}) {
  const { work: ada, put } = noting(contextOf(newUserId(), {}, limits))
  const { id } = await asset(ada, 'castle', 'public')
  const { preview_key, revision } = await preview(ada, id)
  return { ada, id, put, revision, first: there(preview_key ?? undefined) }
}

const storedAmong = async (keys: string[]) => {
  const found = await Promise.all(keys.map(isStored))
  return keys.filter((_, index) => found[index])
}

describe('races over the preview of an asset', () => {
  it('gives it to one of several that expect the same revision, and keeps no bytes of the others', async () => {
    await chances(async (round) => {
      const { ada, id, put, revision } = await scene()
      const outcomes = await round.race(
        Array.from({ length: 5 }, (_, index) => () => preview(ada, id, 200 + index, [revision])),
      )
      expect(tally(outcomes)).toBe('1 ok, 4 PRECONDITION_FAILED')
      const [won] = outcomes.flatMap(({ answer }) => answer ?? [])
      expect(await previewOf(id)).toBe(won?.preview_key)
      expect(await storedAmong(put.slice(1))).toEqual([won?.preview_key])
      await expectSound(ada.user_id)
    })
  })

  it('queues each preview that is replaced or removed once, and never the one that stays', async () => {
    await rounds(async (round) => {
      const { ada, id, put } = await scene()
      const outcomes = await round.race<unknown>([
        () => preview(ada, id, 300),
        () => preview(ada, id, 400),
        () => removePreview(ada, id),
        () => preview(ada, id, 500),
      ])
      expect(tally(outcomes)).toBe('4 ok')
      const last = await previewOf(id)
      expect(await queuedAmong(id, put)).toEqual(put.filter((key) => key !== last).sort())
      await expectSound(ada.user_id)
      await runEach(0)
      expect(await storedAmong(put)).toEqual(last ? [last] : [])
    })
  })

  it('never passes a nearly full quota: the bytes that a preview frees are taken once', async () => {
    const LIMIT = 1_200
    await chances(async (round) => {
      const ada = contextOf(newUserId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT })
      const assets = [await asset(ada, 'a'), await asset(ada, 'b'), await asset(ada, 'c')]
      for (const { id } of assets) await preview(ada, id, 300)
      const outcomes = await round.race(
        assets.map(
          ({ id }) =>
            () =>
              preview(ada, id, 500),
        ),
      )
      expect(tally(outcomes)).toBe('1 ok, 2 QUOTA_EXCEEDED')
      expect(await usedBytes(ada)).toBe(3 * 3 + 2 * 300 + 500)
      await expectSound(ada.user_id)
    })
    await expectAgreedIn(2)
  })

  it('is set or refused while its asset is deleted, restored or purged, and leaves no object behind', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { ada, id, put } = await scene()
      const permanent = round.variant === 0
      const [set, removed, deleted, restored] = await round.race<unknown>([
        () => preview(ada, id, 300),
        () => removePreview(ada, id),
        () => deleteAsset(ada, id, { permanent }),
        () => restoreAsset(ada, id, {}),
        () => runEach(0),
      ])
      expect(deleted?.code).toBeUndefined()
      for (const one of [set, removed, restored]) expect([undefined, 'ASSET_NOT_FOUND']).toContain(one?.code)
      if (permanent && round.isBefore(deleted, set)) expect(set?.code).toBe('ASSET_NOT_FOUND')
      if (round.isBefore(set, deleted)) expect(set?.code).toBeUndefined()
      if (round.fork('it is refused', set?.code !== undefined))
        expect(await isStored(there(put[1]))).toBe(false)
      const last = await previewOf(id)
      if (last) expect(await isStored(last)).toBe(true)
      await expectSound(ada.user_id)
    })
    await expectAgreedIn(2)
  })

  it('is shown by its URL while it is the preview of an asset that everybody may see, and not afterwards', async () => {
    await rounds({ variants: 4 }, async (round) => {
      const { ada, id, first } = await scene()
      const bob = contextOf(newUserId())
      const seen = { asset_id: id, preview_key: first }
      const ends: (() => Promise<unknown>)[] = [
        () => editAsset(ada, id, { visibility: 'private' }),
        () => blockAsset(bob, id),
        () => preview(ada, id),
        () => deleteAsset(ada, id),
      ]
      const end = there(ends[round.variant])
      const [ended, looked] = await round.race<unknown>([end, () => isServed(bob, seen)])
      expect(ended?.code).toBeUndefined()
      if (round.isBefore(ended, looked)) expect(looked?.answer).toBe(false)
      if (round.isBefore(looked, ended)) expect(looked?.answer).toBe(true)
      expect(await isServed(bob, seen)).toBe(false)
    })
  })

  it('leaves nothing of an erased user, and keeps what the user sets afterwards', async () => {
    await rounds({ settle: removed }, async (round) => {
      const { ada, id, first } = await scene()
      const [set, erased] = await round.race<unknown>([
        () => preview(ada, id, 300),
        () => eraseUser(contextOf(newUserId()), ada.user_id),
      ])
      expect(erased?.code).toBeUndefined()
      if (round.isBefore(erased, set)) expect(set?.code).toBe('ASSET_NOT_FOUND')
      expect(await isServed(ada, { asset_id: id, preview_key: first })).toBe(false)
      const again = await asset(ada, 'again', 'public')
      const { preview_key } = await preview(ada, again.id)
      const seen = { asset_id: again.id, preview_key: there(preview_key ?? undefined) }
      round.later(async () => expect(await isServed(contextOf(newUserId()), seen)).toBe(true))
    })
    await expectAgreedIn(3)
  })
})
