import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { removePreview } from '../../src/features/previews/preview.ts'
import { runJob } from '../../src/janitor/run.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { unavailable } from '../../src/platform/errors.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { asset, preview, there } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { everywhere, startOver } from '../support/databases.ts'
import { newUserIdIn } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { expectRecordsAndObjectsAgree, jobIn, runJobIn } from '../support/objects.ts'
import { isStored, previewOf } from '../support/previews.ts'
import { counted, reconcile } from '../support/reconciling.ts'

const newWork = (limits = {}) => contextOf(newUserIdIn(FIRST), {}, limits)
const queued = () => everywhere('SELECT object_key, is_orphan FROM garbage')
const keyOf = async (id: string) => there((await previewOf(id)) ?? undefined)

/** Stores a preview whose row is never written: the database does not answer. Returns the key. */
async function leftBehind(work: RequestContext, asset_id: string): Promise<string> {
  const keys: string[] = []
  const put: R2Bucket['put'] = (key, ...others) => {
    keys.push(key)
    return env.BUCKET.put(key, ...others)
  }
  const noAnswer = () => Promise.reject(unavailable('no answer'))
  const db = overridden(work.db, { write: noAnswer, writeAlong: noAnswer })
  const bucket = overridden(env.BUCKET, { put })
  await expect(preview({ ...work, db, bucket }, asset_id)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(keys).toHaveLength(1)
  return there(keys[0])
}

beforeEach(async () => {
  await startOver()
  await runJobIn(0) // the walk begins here
})

describe('the object of a preview', () => {
  it('is removed by the walk when no asset has it, a week after it was found', async () => {
    const work = newWork()
    const { id } = await asset(work)
    const kept = there((await preview(work, id)).preview_key ?? undefined)
    const key = await leftBehind(work, id)
    await runJobIn(4)
    expect(await queued()).toEqual([{ object_key: key, is_orphan: 1 }])
    await runJobIn(12)
    expect([await isStored(key), await isStored(kept)]).toEqual([false, true])
    await expectRecordsAndObjectsAgree()
  })

  it('goes when another one takes its place, or none, and with its asset', async () => {
    const work = newWork()
    const [one, other] = [await asset(work, 'one'), await asset(work, 'other')]
    for (const { id } of [one, other]) await preview(work, id)
    const before = [await keyOf(one.id), await keyOf(other.id)]
    await preview(work, one.id)
    await removePreview(work, other.id)
    await runJobIn(0.01)
    expect(await Promise.all(before.map(isStored))).toEqual([false, false])
    const last = await keyOf(one.id)
    expect(await isStored(last)).toBe(true)
    await deleteAsset(work, one.id)
    await runJobIn(0.02)
    expect(await isStored(last), 'the asset may be restored').toBe(true)
    await deleteAsset(work, one.id, { permanent: true })
    await runJobIn(2)
    expect(await isStored(last)).toBe(false)
    await expectSound(work.user_id)
    await expectRecordsAndObjectsAgree()
  })

  it('stays for CONTENT_GRACE_DAYS, unless its owner is erased', async () => {
    const limits = { CONTENT_GRACE_DAYS: 7 }
    const [ada, bob] = [newWork(limits), newWork(limits)]
    const keys: string[] = []
    for (const work of [ada, bob])
      for (const end of ['replaced', 'removed', 'purged']) {
        const { id } = await asset(work, end)
        await preview(work, id)
        keys.push(await keyOf(id))
        if (end === 'replaced') await preview(work, id)
        if (end === 'removed') await removePreview(work, id)
        if (end === 'purged') await deleteAsset(work, id, { permanent: true })
      }
    await runJobIn(6, limits)
    expect(await Promise.all(keys.map(isStored)), 'within the grace period').toEqual(keys.map(() => true))
    await eraseUser(bob, bob.user_id)
    for (const days of [6.01, 6.02]) await runJobIn(days, limits)
    expect(await Promise.all(keys.map(isStored))).toEqual([true, true, true, false, false, false])
    await runJobIn(8, limits)
    expect(await Promise.all(keys.map(isStored))).toEqual(keys.map(() => false))
  })

  it('is gone with its erased owner', async () => {
    const work = newWork()
    const { id } = await asset(work)
    await preview(work, id)
    const key = await keyOf(id)
    await eraseUser(work, work.user_id)
    for (const days of [0.01, 1, 3]) await runJobIn(days)
    expect(await isStored(key)).toBe(false)
    await expectRecordsAndObjectsAgree()
  })

  it('is not deleted while an asset has it, even when a mistake has queued it as an orphan', async () => {
    const work = newWork()
    const { id } = await asset(work)
    await preview(work, id)
    const key = await keyOf(id)
    await env.DB.prepare('INSERT INTO garbage (object_key, writable_until, is_orphan) VALUES (?, 0, 1)')
      .bind(key)
      .run()
    expect((await runJob(jobIn(1))).failed).toBeUndefined()
    expect(await isStored(key)).toBe(true)
  })

  it('never becomes a preview once it waits for its deletion: the request stores it again', async () => {
    const work = newWork()
    const { id } = await asset(work)
    const keys: string[] = []
    const put: R2Bucket['put'] = async (key, ...others) => {
      const object = await env.BUCKET.put(key, ...others)
      if (keys.push(key) === 1)
        await env.DB.prepare('INSERT INTO garbage (object_key, writable_until, is_orphan) VALUES (?, 0, 1)')
          .bind(key)
          .run()
      return object
    }
    await preview({ ...work, bucket: overridden(env.BUCKET, { put }) }, id)
    expect(keys).toHaveLength(2)
    expect(await keyOf(id)).toBe(keys[1])
  })
})

describe('reconciling', () => {
  it('finds nothing where previews have their objects and are counted, and an object without an asset', async () => {
    const work = newWork()
    const { id } = await asset(work)
    await preview(work, id, 500)
    const key = await leftBehind(work, id)
    expect((await reconcile()).found).toEqual([])
    const { found } = await reconcile({ days: 0.01 })
    expect(found).toMatchObject([{ problem: 'object_has_no_record', object_key: key }])
    await reconcile({ days: 0.01, repair: true })
    expect(await queued()).toEqual([{ object_key: key, is_orphan: 1 }])
    await env.DB.prepare('UPDATE usage SET used_bytes = used_bytes - 500 WHERE user_id = ?')
      .bind(work.user_id)
      .run()
    expect(counted((await reconcile({ days: 0.01 })).found)).toEqual({ counters_differ: 1 })
    await reconcile({ repair: true })
    await expectSound(work.user_id)
  })

  it('takes a missing preview off its asset, whose owner gets the quota back, and a shown one off the queue', async () => {
    const work = newWork()
    const [lost, waiting] = [await asset(work, 'lost'), await asset(work, 'waiting')]
    for (const { id } of [lost, waiting]) await preview(work, id)
    const [missing, shown] = [await keyOf(lost.id), await keyOf(waiting.id)]
    await env.BUCKET.delete(missing)
    await env.DB.prepare('INSERT INTO garbage (object_key, writable_until) VALUES (?, 0)').bind(shown).run()
    const expected = [
      { problem: 'content_is_queued', id: waiting.id, object_key: shown },
      { problem: 'content_is_missing', id: lost.id, object_key: missing },
    ]
    expect((await reconcile()).found).toMatchObject(expected)
    expect(await previewOf(lost.id), 'a dry run').toBe(missing)
    const { found, ended } = await reconcile({ repair: true })
    expect(found).toMatchObject(expected.map((one) => ({ ...one, is_repaired: true })))
    expect(ended, 'a cache may have it').toEqual([['asset', lost.id]])
    expect([await previewOf(lost.id), await previewOf(waiting.id)]).toEqual([null, shown])
    expect((await reconcile()).found).toEqual([])
    await expectSound(work.user_id)
    await runJobIn(2)
    await expectRecordsAndObjectsAgree()
  })
})
