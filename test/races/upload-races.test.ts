import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { editFile } from '../../src/features/files/edit.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import type { UploadRow } from '../../src/features/uploads/row.ts'
import { startUpload } from '../../src/features/uploads/start.ts'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import {
  asset,
  completeAtOnce,
  file,
  newAsset,
  newVersion,
  replacement,
  there,
  upload,
} from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf, homeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectAgreedIn, runEach } from '../support/objects.ts'
import { chances, rounds, tally } from '../support/race.ts'

/** Starts an upload in one part of each kind; sends it. */
const kinds: Record<string, (work: RequestContext) => Promise<UploadRow>> = {
  'a file': async (work) => (await upload(work)).upload,
  'new content of a file': async (work) => (await replacement(work, (await file(work)).id)).upload,
  'a new asset': async (work) => (await newAsset(work, 'asset')).upload,
  'a new version': async (work) => (await newVersion(work, (await asset(work)).id)).upload,
  'a file in parts': async (work) => {
    const inParts = { ...work, config: { ...work.config, MULTIPART_THRESHOLD: 2 } }
    return (await upload(inParts)).upload
  },
}

/** Sends what the upload waits for, and tells what to complete it with. */
async function send({ id, multipart_id }: UploadRow) {
  if (multipart_id === null) {
    await arrive(id)
    return {}
  }
  const part = await env.BUCKET.resumeMultipartUpload(id, multipart_id).uploadPart(1, 'xxx')
  return { parts: [{ part_number: 1, etag: part.etag }] }
}

const usedBytes = ({ user_id }: RequestContext) =>
  homeOf(user_id)
    .prepare('SELECT used_bytes FROM usage WHERE user_id = ?')
    .bind(user_id)
    .first<number>('used_bytes')

describe.each(Object.entries(kinds))('an upload of %s', (_, start) => {
  it('gives two completions one answer', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId())
      const started = await start(work)
      const given = await send(started)
      const complete = () => completeUpload(work, started.id, given)
      const [one, two] = await round.race([complete, complete])
      expect(one?.answer?.upload.state).toBe('completed')
      expect(one?.answer).toEqual(two?.answer)
      expect(await complete()).toEqual(one?.answer)
      await expectSound(work.user_id)
    })
  })

  it('either completes or is aborted', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const started = await start(work)
      const before = (await usedBytes(work)) ?? 0
      const given = await send(started)
      const [completed, aborted] = await round.race<unknown>([
        () => completeUpload(work, started.id, given),
        () => abortUpload(work, started.id),
      ])
      expect([
        ['UPLOAD_NOT_FOUND', undefined],
        [undefined, 'UPLOAD_COMPLETED'],
      ]).toContainEqual([completed?.code, aborted?.code])
      if (round.fork('it is aborted', completed?.code !== undefined)) {
        expect(await env.BUCKET.head(started.id)).toBeNull()
        expect(await usedBytes(work), 'released once').toBe(before - 3)
      } else expect(await env.BUCKET.head(started.id)).not.toBeNull()
      await expectSound(work.user_id)
    })
  })

  it('either completes or is expired by the job', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const started = await start(work)
      const given = await send(started)
      const [completed] = await round.race<unknown>([
        () => completeUpload(work, started.id, given),
        () => runEach(1.01),
      ])
      expect([undefined, 'UPLOAD_NOT_FOUND']).toContain(completed?.code)
      const object = await env.BUCKET.head(started.id)
      expect(object !== null).toBe(round.fork('it completes', completed?.code === undefined))
      await expectSound(work.user_id)
    })
    await expectAgreedIn(4)
  })
})

describe('an upload of a new version', () => {
  it.each([
    ['deleted', deleteAsset],
    ['deleted for good', (work: RequestContext, id: string) => deleteAsset(work, id, { permanent: true })],
  ])('completes, or is refused when its asset is %s', async (_, remove) => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const { id } = await asset(work)
      const { upload } = await newVersion(work, id)
      await arrive(upload.id)
      const [completed, deleted] = await round.race<unknown>([
        () => completeUpload(work, upload.id),
        () => remove(work, id),
        () => runEach(0),
      ])
      expect(deleted?.code).toBeUndefined()
      expect([undefined, 'ASSET_NOT_FOUND']).toContain(completed?.code)
      const row = await databaseOf(upload.id)
        .prepare('SELECT state FROM uploads WHERE id = ?')
        .bind(upload.id)
        .first('state')
      if (round.fork('it completes', completed?.code === undefined)) expect(row).toBe('completed')
      else if (row !== 'completed') expect(row).toBe(remove === deleteAsset ? 'completing' : 'failed')
      await expectSound(work.user_id)
      if (remove === deleteAsset) {
        const restored = await restoreAsset(work, id, {})
        expect(restored.current_version).toBe(completed?.code ? 1 : 2)
      }
      await expectSound(work.user_id)
    })
    await expectAgreedIn(3)
  })

  it('fails every time it is completed once its asset has gone for good', async () => {
    const work = contextOf(newUserId())
    const { id } = await createAsset(work, { name: 'asset', type: 'world', visibility: 'private' })
    const { upload } = await newVersion(work, id)
    await arrive(upload.id)
    await deleteAsset(work, id, { permanent: true })
    for (let i = 0; i < 2; i++)
      await expect(completeUpload(work, upload.id)).rejects.toThrow('ASSET_NOT_FOUND')
    expect(await usedBytes(work)).toBe(0)
    expect(await env.BUCKET.head(upload.id)).toBeNull()
  })
})

describe('new content of a file', () => {
  it('comes from one of several uploads that replace the same revision', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId())
      const { id, revision } = await file(work)
      const uploads = await Promise.all([1, 2, 3].map(() => replacement(work, id, [revision])))
      await Promise.all(uploads.map(({ upload }) => arrive(upload.id)))
      const outcomes = await completeAtOnce(round, work, uploads)
      expect(tally(outcomes)).toBe('1 ok, 2 PRECONDITION_FAILED')
      const winner = outcomes.findIndex(({ answer }) => answer !== undefined)
      const key = await databaseOf(id)
        .prepare('SELECT object_key FROM files WHERE id = ?')
        .bind(id)
        .first('object_key')
      expect(key).toBe(uploads[winner]?.upload.id)
      await expectSound(work.user_id)
    })
  })

  it('never comes in place of a revision that was not expected', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const { id, revision } = await file(work)
      const { upload } = await replacement(work, id, [revision])
      await arrive(upload.id)
      const outcomes = await round.race<unknown>([
        () => completeUpload(work, upload.id),
        () => editFile(work, id, { name: 'renamed' }, [revision]),
      ])
      expect(tally(outcomes)).toBe('1 PRECONDITION_FAILED, 1 ok')
      await expectSound(work.user_id)
    })
  })

  it('is the last of several without a condition, and what it replaced is given up', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId())
      const { id } = await file(work)
      const uploads = await Promise.all([1, 2, 3].map(() => replacement(work, id)))
      await Promise.all(uploads.map(({ upload }) => arrive(upload.id)))
      const outcomes = await completeAtOnce(round, work, uploads)
      expect(tally(outcomes)).toBe('3 ok')
      expect(await usedBytes(work)).toBe(3)
      await expectSound(work.user_id)
    })
    await expectAgreedIn(3)
  })

  it('is either there or refused when its file is purged, and nothing is left behind', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const { id } = await file(work)
      const { upload } = await replacement(work, id)
      await arrive(upload.id)
      await deleteFile(work, id)
      const [completed] = await round.race<unknown>([
        () => completeUpload(work, upload.id),
        () => purgeFile(work, id),
        () => runEach(0),
      ])
      expect([undefined, 'UPLOAD_NOT_FOUND']).toContain(completed?.code)
      await runEach(0)
      expect(await usedBytes(work)).toBe(0)
      await expectSound(work.user_id)
    })
    await expectAgreedIn(3)
  })
})

it('an upload in parts that is refused leaves nothing reserved, and no multipart upload that could be joined', async () => {
  const work = contextOf(newUserId(), {}, { MULTIPART_THRESHOLD: 2, DEFAULT_QUOTA_BYTES: 2 })
  await expect(upload(work)).rejects.toThrow('QUOTA_EXCEEDED')
  const key = { caller_id: work.user_id, key: 'k', request_hash: 'h', now: 1 }
  const input = {
    purpose: 'asset' as const,
    name: 'a',
    asset_type: 'world' as const,
    visibility: 'private' as const,
  }
  const content = { size_bytes: 3, mime_type: 'a/b', checksum_sha256: undefined }
  await expect(startUpload(work, { ...input, ...content }, key)).rejects.toThrow('QUOTA_EXCEEDED')
  const room = { ...work, config: { ...work.config, DEFAULT_QUOTA_BYTES: 3 } }
  expect(there((await startUpload(room, { ...input, ...content }, key)).upload).part_size).toBe(
    work.config.PART_SIZE,
  )
  await expectSound(work.user_id)
})
