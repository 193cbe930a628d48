import { env } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import { runJob } from '../../src/janitor/run.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { JobContext } from '../../src/platform/context.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { folder, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { homeOf } from '../support/databases.ts'
import { publishTo } from '../support/device.ts'
import { newUserIdIn } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { jobIn, runJobIn } from '../support/objects.ts'

/** A user of the first database, whose job runs. */
const newUserId = (begin = '') => newUserIdIn(FIRST, begin)

/** A call that is never answered, and how often it was made. */
function unanswered() {
  const made = { times: 0 }
  const call = () => {
    made.times++
    return new Promise<never>(() => {})
  }
  return { made, call }
}

const impatient = (job: JobContext): JobContext => ({
  ...job,
  config: { ...job.config, CALL_TIMEOUT_MS: 20 },
})
const isThere = async (key: string) => (await env.BUCKET.head(key)) !== null

const deafInboxes = overridden(env.INBOX, {
  getByName: () => ({ erase: () => Promise.reject(new Error('out of reach')) }),
})

afterEach(() => vi.restoreAllMocks())

it('waits once in a run for an R2 that ends no multipart upload, and removes other objects meanwhile', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const work = contextOf(newUserId())
  const deaf = {
    ...work,
    bucket: overridden(env.BUCKET, { resumeMultipartUpload: () => {}, delete: () => {} }),
  }
  const inParts = { ...work, config: { ...work.config, MULTIPART_THRESHOLD: 0 } }
  for (let count = 0; count < 3; count++) await abortUpload(deaf, (await upload(inParts)).upload.id)
  const plain = (await upload(work)).upload.id
  await arrive(plain)
  await abortUpload(deaf, plain)
  expect(await isThere(plain)).toBe(true)

  const { made, call: abort } = unanswered()
  const bucket = overridden(env.BUCKET, { resumeMultipartUpload: () => ({ abort }) })
  expect(await runJob(impatient({ ...jobIn(0), bucket }))).toMatchObject({ objects_removed: 4 })
  expect(made.times).toBe(1)
  expect(await isThere(plain)).toBe(false)
  // The three, and the plain one once more, since the last URL to it has expired.
  expect(await runJobIn(0.1), 'hours later').toMatchObject({ objects_removed: 4 })
})

it('waits once in a run for inboxes that do not answer, and goes on with its other tasks', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const works = [contextOf(newUserId()), contextOf(newUserId())]
  for (const work of works) {
    await publishTo({ id: work.user_id })
    await expect(eraseUser({ ...work, inboxes: deafInboxes }, work.user_id)).rejects.toThrow('UNAVAILABLE')
  }
  const { made, call: erase } = unanswered()
  const inboxes = overridden(env.INBOX, { getByName: () => ({ erase }) })
  const other = contextOf(newUserId())
  await deleteFile({ ...other, now_ms: 0 }, (await folder(other, 'old')).id)
  const report = await runJob(impatient({ ...jobIn(2), inboxes }))
  expect(report).toMatchObject({ failed: ['users_erased'], trash_expired: 1 })
  expect(made.times).toBe(1)
  expect(await runJobIn(2.1)).toMatchObject({ users_erased: expect.any(Number) })
  for (const { user_id } of works)
    expect(await env.INBOX.getByName(user_id).counts()).toMatchObject({ total: 0 })
})

it('erases as much as it was last asked to, also when an earlier erasure takes effect after a later one', async () => {
  const [work, until] = [contextOf(newUserId()), 'SELECT until FROM erasures WHERE user_id = ?']
  await eraseUser(work, work.user_id)
  const later = await homeOf(work.user_id).prepare(until).bind(work.user_id).first('until')
  await eraseUser({ ...work, now_ms: work.now_ms - 10_000 }, work.user_id)
  // One second more: what has been made since the first goes, too.
  expect(await homeOf(work.user_id).prepare(until).bind(work.user_id).first('until')).toBe(Number(later) + 1)
})

it('erases in one run also whom many others come before, of whom nothing is left', async () => {
  for (let count = 0; count < 8; count++) await eraseUser(contextOf(newUserId()), newUserId())
  const last = contextOf(newUserId('z '))
  await publishTo({ id: last.user_id })
  await expect(eraseUser({ ...last, inboxes: deafInboxes }, last.user_id)).rejects.toThrow('UNAVAILABLE')
  await runJob(jobIn(0))
  expect(await env.INBOX.getByName(last.user_id).counts()).toMatchObject({ total: 0 })
})

it('asks R2 to remove nothing when all that is due is stuck, and comes back to it in an hour', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const work = contextOf(newUserId())
  const stuck = () => ({ abort: () => Promise.reject(new Error('internal error (10001)')) })
  const bucket = overridden(env.BUCKET, {
    resumeMultipartUpload: stuck,
    delete: async (keys: string | string[]) => {
      if (keys.length === 0) throw new Error('an empty list')
      await env.BUCKET.delete(keys)
    },
  })
  const inParts = { ...work, bucket, config: { ...work.config, MULTIPART_THRESHOLD: 0 } }
  await abortUpload(inParts, (await upload(inParts)).upload.id)
  const report = await runJob({ ...jobIn(0), bucket })
  expect(report.failed).toBeUndefined()
  expect(report.objects_removed).toBe(1)
  expect((await runJob({ ...jobIn(0.01), bucket })).objects_removed).toBeUndefined()
  expect(await runJobIn(0.1), 'an hour later').toMatchObject({ objects_removed: 1 })
})

it('never uses a key again that a start has given up, so that removing it late takes nothing', async () => {
  const work = contextOf(newUserId())
  const removed: string[] = []
  const bucket = overridden(env.BUCKET, { delete: async (key: string) => removed.push(key) })
  let batches = 0
  const db = overridden(work.db, {
    // The first try comes to nothing, for a reason that has gone when it is asked for.
    write: async (statements: Parameters<typeof work.db.write>[0]) =>
      ++batches === 1
        ? Object.fromEntries(Object.keys(statements).map((name) => [name, []]))
        : work.db.write(statements),
  })
  const inParts = { ...work, db, bucket, config: { ...work.config, MULTIPART_THRESHOLD: 0 } }
  const started = await upload(inParts)
  expect(removed).toHaveLength(1)
  expect(removed).not.toContain(started.upload.id)
})
