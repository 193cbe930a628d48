import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import type { UploadRow } from '../../src/features/uploads/row.ts'
import { startUpload } from '../../src/features/uploads/start.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import {
  asset,
  completeAtOnce,
  file,
  newVersion,
  replacement,
  startsOfUploads,
  there,
  upload,
} from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectAgreedIn, runEach } from '../support/objects.ts'
import { chances, rounds, tally } from '../support/race.ts'
import { uploadRow, usedBytes } from './rows.ts'

/** Starts an upload in one part of each kind; sends it. */
const kinds: typeof startsOfUploads = {
  ...startsOfUploads,
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

describe.each(Object.entries(kinds))('an upload of %s', (_, start) => {
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

it('wrong content is refused by each of two completions, and is gone', async () => {
  await chances(async (round) => {
    const work = contextOf(newUserId())
    const started = (await upload(work, null, 4)).upload
    await arrive(started.id)
    const outcomes = await completeAtOnce(round, work, [{ upload: started }, { upload: started }])
    expect(tally(outcomes)).toBe('2 UPLOAD_MISMATCH')
    expect(await env.BUCKET.head(started.id)).toBeNull()
    await expectSound(work.user_id)
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
      const row = (await uploadRow(upload.id))?.state
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
  it('is either there or refused when its file is purged, and nothing is left behind', async () => {
    await rounds({ settle: () => runEach(0) }, async (round) => {
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
      round.later(async () => {
        expect(await usedBytes(work)).toBe(0)
        await expectSound(work.user_id)
      })
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
