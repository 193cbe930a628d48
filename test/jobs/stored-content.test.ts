import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { contentMetadata } from '../../src/features/content/store.ts'
import { runJob } from '../../src/janitor/run.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { newId } from '../../src/platform/db/id.ts'
import { unavailable } from '../../src/platform/errors.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { file, fileAtOnce, replaceAtOnce } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { everywhere, startOver } from '../support/databases.ts'
import { newUserIdIn } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { expectRecordsAndObjectsAgree, jobIn, runEach, runJobIn } from '../support/objects.ts'
import { reconcile } from '../support/reconciling.ts'

const keys = async () =>
  (await env.BUCKET.list()).objects.map(({ key }) => key).filter((key) => !/^(\.|erased\/)/.test(key))
const newWork = () => contextOf(newUserIdIn(FIRST))

/** The bucket, whose lists with metadata have a page without objects before each page, which has one. */
function sparse(): R2Bucket {
  const list: R2Bucket['list'] = async ({ cursor, ...options } = {}) => {
    if (!options.include) return env.BUCKET.list({ ...options, cursor })
    if (cursor === undefined) return { objects: [], delimitedPrefixes: [], truncated: true, cursor: 'go on' }
    return env.BUCKET.list({ ...options, limit: 1 })
  }
  return overridden(env.BUCKET, { list })
}

/** The bucket, whose lists with metadata have one page. The simulator ends a page after 100 objects. */
function onOnePage(): R2Bucket {
  const list: R2Bucket['list'] = async (options) => {
    const objects: R2Object[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await env.BUCKET.list({ ...options, cursor })
      objects.push(...page.objects)
      if (!page.truncated) return { ...page, objects }
      cursor = page.cursor
    }
  }
  return overridden(env.BUCKET, { list })
}

/** Stores content whose row is never written: the database does not answer. Returns the key. */
async function leftBehind(work: RequestContext): Promise<string> {
  const before = new Set(await keys())
  const db = overridden(work.db, { write: () => Promise.reject(unavailable('no answer')) })
  await expect(fileAtOnce({ ...work, db })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const [key, ...others] = (await keys()).filter((key) => !before.has(key))
  expect(others).toEqual([])
  return key ?? ''
}

beforeEach(async () => {
  await startOver()
  await runJobIn(0) // the walk begins here
})

describe('an object that a request has stored', () => {
  it('is removed by the walk when no row has it, a week after it was found', async () => {
    const work = newWork()
    const kept = (await fileAtOnce(work)).object_key
    const key = await leftBehind(work)
    await runJobIn(4)
    expect((await keys()).sort()).toEqual([kept, key].sort())
    expect(await everywhere('SELECT object_key, is_orphan FROM garbage')).toEqual([
      { object_key: key, is_orphan: 1 },
    ])
    await runJobIn(12)
    expect(await keys()).toEqual([kept])
    await expectRecordsAndObjectsAgree()
  })

  it('stays while its file has it: after a replacement the new one, and the old one goes', async () => {
    const work = newWork()
    const { id } = await file(work)
    await replaceAtOnce(work, id, 'first')
    const { object_key } = await replaceAtOnce(work, id, 'second')
    await runJobIn(4)
    expect(await everywhere('SELECT object_key FROM garbage WHERE is_orphan = 1')).toEqual([])
    await runJobIn(12)
    expect(await keys()).toEqual([object_key])
    expect(await (await env.BUCKET.get(object_key ?? ''))?.text()).toBe('second')
  })

  it('is stored anew when the walk has queued it before its file has it', async () => {
    const work = newWork()
    const { id, object_key: earlier } = await fileAtOnce(work, 'first')
    let calls = 0
    const write = async (...args: Parameters<typeof work.db.write>) => {
      const stored = (await keys()).find((key) => key !== earlier)
      if (++calls === 1)
        await everywhere('INSERT INTO garbage (object_key, writable_until, next_at) VALUES (?, 0, 0)', stored)
      return work.db.write(...args)
    }
    const { object_key } = await replaceAtOnce({ ...work, db: overridden(work.db, { write }) }, id, 'second')
    expect(calls).toBe(2)
    expect(await (await env.BUCKET.get(object_key ?? ''))?.text()).toBe('second')
    expect((await keys()).sort()).toEqual([earlier, object_key].sort())
  })

  it('rings no alarm, however many there are', async () => {
    const work = newWork()
    for (let count = 0; count < 30; count++) await leftBehind(work)
    const report = await runJob(jobIn(4))
    expect(report.failed).toBeUndefined()
    await runJobIn(12)
    expect(await keys()).toEqual([])
  })

  it('does not make unknown objects of uploads look few', async () => {
    const work = newWork()
    const { id } = await fileAtOnce(work)
    const options = contentMetadata(id, 'text/plain')
    // With these, less than one in twenty objects is unknown.
    await Promise.all(Array.from({ length: 400 }, () => env.BUCKET.put(newId(work.user_id), 'x', options)))
    for (let count = 0; count < 20; count++) await file(work)
    await env.DB.prepare('DELETE FROM uploads').run()
    const stored = await keys()
    expect((await runJob({ ...jobIn(4), bucket: onOnePage() })).failed).toEqual(['objects_checked'])
    expect(await keys()).toEqual(stored)
  })

  it('counts as that of an upload when it has the metadata of one, too', async () => {
    const work = newWork()
    for (let count = 0; count < 20; count++) {
      const { id, object_key } = await file(work)
      const options = { customMetadata: { upload: object_key ?? '', file: id } }
      await env.BUCKET.put(object_key ?? '', 'forged', options)
    }
    await env.DB.prepare('DELETE FROM uploads').run()
    expect((await runJob(jobIn(4))).failed).toEqual(['objects_checked'])
  })

  it('is not kept by a file that has other content', async () => {
    const work = newWork()
    const { id, object_key } = await fileAtOnce(work)
    const key = await leftBehind(work)
    await env.BUCKET.put(key, 'x', contentMetadata(id, 'text/plain'))
    await runJobIn(4)
    await runJobIn(12)
    expect(await keys()).toEqual([object_key])
  })

  it('is found behind pages of a list that have few objects, or none', async () => {
    const work = newWork()
    const left: string[] = []
    for (let count = 0; count < 3; count++) left.push(await leftBehind(work))
    const kept = (await fileAtOnce(work)).object_key
    for (let runs = 0; runs < 3; runs++) await runEach(4, { bucket: sparse() })
    const queued = await everywhere<{ object_key: string }>('SELECT object_key FROM garbage')
    expect(queued.map(({ object_key }) => object_key).sort()).toEqual(left.sort())
    await runJobIn(12)
    expect(await keys()).toEqual([kept])
  })

  it('is removed when its owner is erased', async () => {
    const work = newWork()
    await fileAtOnce(work)
    await eraseUser(work, work.user_id)
    await runJobIn(1)
    await runJobIn(3)
    expect(await keys()).toEqual([])
  })
})

describe('reconciling', () => {
  it('finds nothing where each object has its row, and an object without one once its request has ended', async () => {
    const work = newWork()
    const { id } = await fileAtOnce(work)
    await replaceAtOnce(work, id)
    const key = await leftBehind(work)
    expect((await reconcile()).found).toEqual([])
    const { found } = await reconcile({ days: 0.01 })
    expect(found).toMatchObject([{ problem: 'object_has_no_record', object_key: key }])
    await reconcile({ days: 0.01, repair: true })
    expect((await reconcile({ days: 0.01 })).found).toEqual([])
    expect(await everywhere('SELECT object_key FROM garbage WHERE is_orphan = 1')).toEqual([
      { object_key: key },
    ])
  })

  it('looks behind pages of a list that have few objects, or none', async () => {
    const work = newWork()
    const left = [await leftBehind(work), (await fileAtOnce(work)).object_key, await leftBehind(work)]
    const { found } = await reconcile({ days: 0.01, bucket: sparse() })
    expect(found.map(({ object_key }) => object_key)).toEqual([left[0], left[2]])
  })

  it('never makes content of what a repair has queued for deletion: the request stores it again', async () => {
    const work = newWork()
    const queued: string[] = []
    const put: R2Bucket['put'] = async (key, ...others) => {
      const object = await env.BUCKET.put(key, ...others)
      if (queued.length === 0) {
        await env.DB.prepare('INSERT INTO garbage (object_key, writable_until, is_orphan) VALUES (?, 0, 1)')
          .bind(key)
          .run()
        queued.push(key)
      }
      return object
    }
    const bucket = overridden(env.BUCKET, { put })
    const made = await fileAtOnce({ ...work, bucket })
    expect(queued).toHaveLength(1)
    expect(made.object_key).not.toBe(queued[0])
    queued.length = 0
    const replaced = await replaceAtOnce({ ...work, bucket }, made.id)
    expect(replaced.object_key).not.toBe(queued[0])
    expect(await keys()).toContain(replaced.object_key)
    expect(await keys()).not.toContain(queued[0])
  })

  it('marks a file as failed whose object is missing, and takes an object off the queue that a file has', async () => {
    const work = newWork()
    const [lost, queued, picture] = [await fileAtOnce(work), await fileAtOnce(work), await fileAtOnce(work)]
    const setType = (type: string, before: string) =>
      env.DB.batch([
        env.DB.prepare('UPDATE files SET asset_type = ? WHERE id = ?').bind(type, picture.id),
        env.DB.prepare(
          `UPDATE usage SET parts = json_set(parts, '$.' || ?1, (parts ->> ?1) + size, '$.' || ?2, (parts ->> ?2) - size)
            FROM (SELECT size_bytes AS size, owner_id FROM files WHERE id = ?3) WHERE user_id = owner_id`,
        ).bind(type, before, picture.id),
      ])
    await setType('profile_pic', 'file')
    for (const { object_key } of [lost, picture]) await env.BUCKET.delete(object_key ?? '')
    await env.DB.prepare('INSERT INTO garbage (object_key, writable_until) VALUES (?, 0)')
      .bind(queued.object_key)
      .run()
    const { found, ended } = await reconcile({ repair: true })
    expect(found.map(({ problem, id }) => ({ problem, id }))).toEqual([
      { problem: 'content_is_queued', id: queued.id },
      { problem: 'content_is_missing', id: lost.id },
      { problem: 'content_is_missing', id: picture.id },
    ])
    expect(ended, 'a cache may have it').toEqual([['profile', work.user_id]])
    await setType('file', 'profile_pic')
    for (const { id } of [lost, picture])
      expect((await replaceAtOnce(work, id)).processing_state).toBe('ready')
    await runJobIn(2)
    await expectRecordsAndObjectsAgree()
  })
})
