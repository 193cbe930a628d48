import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { isOwn, pathTo } from '../../src/features/files/path.ts'
import type { FileRow } from '../../src/features/files/row.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import type { UploadRow } from '../../src/features/uploads/row.ts'
import { startUpload } from '../../src/features/uploads/start.ts'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, file, newAsset, newVersion, replacement, there } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf, homeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { deafToFirstBatch, died, dieEverywhere, dyingAt } from '../support/mortal.ts'
import { expectRecordsAndObjectsAgree, runEach, runJobIn } from '../support/objects.ts'

const start = async (
  work: RequestContext,
  different: { size_bytes?: number; checksum_sha256?: string } = {},
) => {
  const started = await startUpload(work, { ...declared, ...different })
  return { upload: started.upload, file: there(started.file) }
}
const declared = {
  purpose: 'file' as const,
  name: 'a.txt',
  asset_type: 'file' as const,
  parent_id: null,
  size_bytes: 3,
  mime_type: 'text/plain',
  checksum_sha256: undefined,
}

/** Sends the only part of a multipart upload of three bytes. */
async function sendOnlyPart({ id, multipart_id }: UploadRow) {
  const part = await env.BUCKET.resumeMultipartUpload(id, multipart_id ?? '').uploadPart(1, 'abc')
  return { part_number: 1, etag: part.etag }
}

describe('a Worker that is killed in the middle', () => {
  it('of completing: completing again makes the file ready, counted once', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const { upload, file } = await start(work)
      await arrive(upload.id, 'abc')
      const killed = await died(completeUpload(dying(work), upload.id))
      await expectSound(work.user_id)
      const completed = await completeUpload(work, upload.id)
      expect(completed.file).toMatchObject({ id: file.id, processing_state: 'ready', object_key: upload.id })
      expect(await completeUpload(work, upload.id)).toEqual(completed)
      await expectSound(work.user_id)
      return killed
    })
    expect(deaths).toBe(4)
  })

  it('of completing with a checksum that has to be computed: completing again makes the file ready, counted once', async () => {
    const checksum_sha256 = 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='
    const deaths = await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const { upload } = await start(work, { checksum_sha256 })
      await arrive(upload.id, 'abc')
      const killed = await died(completeUpload(dying(work), upload.id))
      expect((await completeUpload(work, upload.id)).upload.state).toBe('completed')
      await expectSound(work.user_id)
      return killed
    })
    expect(deaths).toBe(5)
  })

  it('of failing an upload: completing again answers that it failed, and the object is deleted or queued for deletion', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const { upload } = await start(work, { size_bytes: 4 })
      await arrive(upload.id, 'abc')
      const killed = await died(completeUpload(dying(work), upload.id))
      await expect(completeUpload(work, upload.id)).rejects.toThrow('UPLOAD_MISMATCH')
      const garbage = await databaseOf(upload.id)
        .prepare('SELECT * FROM garbage WHERE object_key = ?')
        .bind(upload.id)
        .first()
      expect(garbage).not.toBeNull()
      await expectSound(work.user_id)
      return killed
    })
    expect(deaths).toBe(4)
  })

  it('of finding no content: the upload is still open, and can be completed once the content has arrived', async () => {
    await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const { upload } = await start(work)
      const killed = await died(completeUpload(dying(work), upload.id))
      await arrive(upload.id, 'abc')
      expect((await completeUpload(work, upload.id)).file?.processing_state).toBe('ready')
      await expectSound(work.user_id)
      return killed
    })
  })

  it('of completing, with an abort afterwards: only objects queued for deletion are left', async () => {
    await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const { upload, file } = await start(work)
      await arrive(upload.id, 'abc')
      const killed = await died(completeUpload(dying(work), upload.id))
      const aborted = await abortUpload(work, upload.id).then(
        () => true,
        () => false,
      )
      expect(isOwn(await work.db.read<FileRow>(pathTo({ id: file.id })), work.user_id)).toBe(!aborted)
      await expectSound(work.user_id)
      return killed
    })
  })

  it('of aborting: the upload is unchanged, or it and its file are gone', async () => {
    await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const { upload } = await start(work)
      await arrive(upload.id, 'abc')
      const killed = await died(abortUpload(dying(work), upload.id))
      await expectSound(work.user_id)
      await abortUpload(work, upload.id).catch((error: Error) =>
        expect(error.message).toBe('UPLOAD_NOT_FOUND'),
      )
      const left = await homeOf(work.user_id)
        .prepare('SELECT used_bytes, items, open_uploads FROM usage WHERE user_id = ?')
        .bind(work.user_id)
        .first()
      expect(left).toEqual({ used_bytes: 0, items: 0, open_uploads: 0 })
      return killed
    })
  })

  it('of starting: nothing, or an upload that can be completed, and a retry with the key finds it', async () => {
    await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const key = { caller_id: work.user_id, key: 'k', request_hash: 'h', now: Math.floor(Date.now() / 1000) }
      const killed = await died(startUpload(dying(work), declared, key))
      const { upload } = await startUpload(work, declared, key)
      await arrive(upload.id, 'abc')
      await completeUpload(work, upload.id)
      const usage = await homeOf(work.user_id)
        .prepare('SELECT used_bytes, items FROM usage WHERE user_id = ?')
        .bind(work.user_id)
        .first()
      expect(usage).toEqual({ used_bytes: 3, items: 1 })
      await expectSound(work.user_id)
      return killed
    })
  })

  it('of completing an upload in parts, also right after R2 has joined them: completing again makes it ready', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId(), {}, { MULTIPART_THRESHOLD: 2 })
      const { upload } = await start(work)
      const given = { parts: [await sendOnlyPart(upload)] }
      const killed = await died(completeUpload(dying(work), upload.id, given))
      await expectSound(work.user_id)
      const completed = await completeUpload(work, upload.id, given)
      expect(completed.file).toMatchObject({ processing_state: 'ready', object_key: upload.id })
      expect(await completeUpload(work, upload.id)).toEqual(completed)
      await expectSound(work.user_id)
      return killed
    })
    expect(deaths).toBe(5)
  })

  it('of joining the parts: completing again makes the file ready, also without naming the parts', async () => {
    const work = contextOf(newUserId(), {}, { MULTIPART_THRESHOLD: 2 })
    const { upload } = await start(work)
    const given = { parts: [await sendOnlyPart(upload)] }
    expect(await died(completeUpload(dyingAt(work, 2, 'after'), upload.id, given))).toBe(true)
    expect(await env.BUCKET.head(upload.id)).not.toBeNull()
    expect((await completeUpload(work, upload.id)).file?.processing_state).toBe('ready')
  })

  it('of starting an upload in parts: nothing, or one that can be completed, and a retry with the key finds it', async () => {
    await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId(), {}, { MULTIPART_THRESHOLD: 2 })
      const key = { caller_id: work.user_id, key: 'k', request_hash: 'h', now: Math.floor(Date.now() / 1000) }
      const killed = await died(startUpload(dying(work), declared, key))
      const { upload } = await startUpload(work, declared, key)
      await completeUpload(work, upload.id, { parts: [await sendOnlyPart(upload)] })
      await expectSound(work.user_id)
      return killed
    })
  })

  it('of aborting an upload in parts: the upload is unchanged, or it and its file are gone', async () => {
    await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId(), {}, { MULTIPART_THRESHOLD: 2 })
      const { upload } = await start(work)
      const part = await sendOnlyPart(upload)
      const killed = await died(abortUpload(dying(work), upload.id))
      await expectSound(work.user_id)
      await abortUpload(work, upload.id).catch((error: Error) =>
        expect(error.message).toBe('UPLOAD_NOT_FOUND'),
      )
      await runJobIn(0)
      const multipart = env.BUCKET.resumeMultipartUpload(upload.id, upload.multipart_id ?? '')
      await expect(multipart.complete([{ partNumber: 1, etag: part.etag }])).rejects.toThrow('10024')
      return killed
    })
  })

  it('of replacing content: the old content or the new, and completing again makes it the new', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const { id, object_key } = await file(work)
      const { upload } = await replacement(work, id, [3])
      await arrive(upload.id, 'abc')
      const killed = await died(completeUpload(dying(work), upload.id))
      const [now] = await work.db.read<FileRow>(pathTo({ id }))
      expect([object_key, upload.id]).toContain(now?.object_key)
      await expectSound(work.user_id)
      expect((await completeUpload(work, upload.id)).file?.object_key).toBe(upload.id)
      await expectSound(work.user_id)
      return killed
    })
    expect(deaths).toBe(4)
  })

  it('of completing a new asset or a new version: completing again gives one version, counted once', async () => {
    for (const begin of [
      (work: RequestContext) => newAsset(work, 'asset'),
      async (work: RequestContext) => newVersion(work, (await asset(work)).id),
    ]) {
      const deaths = await dieEverywhere(async (dying) => {
        const work = contextOf(newUserId())
        const { upload } = await begin(work)
        await arrive(upload.id, 'abc')
        const killed = await died(completeUpload(dying(work), upload.id))
        await expectSound(work.user_id)
        const completed = await completeUpload(work, upload.id)
        expect(completed.version?.version).toBe(completed.asset?.current_version)
        expect(await completeUpload(work, upload.id)).toEqual(completed)
        await expectSound(work.user_id)
        return killed
      })
      expect(deaths).toBe(4)
    }
  })

  it('of deleting an asset permanently: the asset exists or is gone, and the job removes its remaining rows and objects', async () => {
    await dieEverywhere(async (dying) => {
      const work = contextOf(newUserId())
      const { id } = await asset(work)
      const killed = await died(deleteAsset(dying(work), id, { permanent: true }))
      await expectSound(work.user_id)
      await deleteAsset(work, id, { permanent: true }).catch((error: Error) =>
        expect(error.message).toBe('ASSET_NOT_FOUND'),
      )
      await runJobIn(3)
      const left = await homeOf(work.user_id)
        .prepare('SELECT used_bytes, assets FROM usage WHERE user_id = ?')
        .bind(work.user_id)
        .first()
      expect(left).toEqual({ used_bytes: 0, assets: 0 })
      await expectRecordsAndObjectsAgree()
      return killed
    })
  })

  it('of receiving the answer to a start: the upload exists, and a retry with the key returns it whole', async () => {
    const work = contextOf(newUserId(), {}, { MULTIPART_THRESHOLD: 2 })
    const key = { caller_id: work.user_id, key: 'k', request_hash: 'h', now: Math.floor(Date.now() / 1000) }
    const { upload } = await startUpload(deafToFirstBatch(work), declared, key)
    const completed = await completeUpload(work, upload.id, { parts: [await sendOnlyPart(upload)] })
    expect(completed.upload.state).toBe('completed')
    await expect(startUpload(deafToFirstBatch(work), declared)).rejects.toThrow('UNAVAILABLE')
    await expectSound(work.user_id)
  })
})

describe('R2 that does not end a multipart upload', () => {
  /** A bucket that ends no multipart upload, or not the one of this key. */
  const stubborn = (only?: string) =>
    overridden(env.BUCKET, {
      resumeMultipartUpload: (key: string, id: string) =>
        only === undefined || key === only
          ? { abort: () => Promise.reject(new Error('abort: We encountered an internal error. (10001)')) }
          : env.BUCKET.resumeMultipartUpload(key, id),
    })

  it('does not change the error of a refused start', async () => {
    const work = contextOf(
      newUserId(),
      { bucket: stubborn() },
      { MULTIPART_THRESHOLD: 2, DEFAULT_QUOTA_BYTES: 1 },
    )
    await expect(startUpload(work, declared)).rejects.toThrow('QUOTA_EXCEEDED')
  })

  it('does not keep the job from removing other objects, and is asked again', async () => {
    const work = contextOf(newUserId(), {}, { MULTIPART_THRESHOLD: 2 })
    const [sick, healthy] = [await start(work), await start({ ...work, config: contextOf('').config })]
    const part = await sendOnlyPart(sick.upload)
    for (const { upload } of [sick, healthy])
      await abortUpload({ ...work, bucket: stubborn(sick.upload.id) }, upload.id)
    await arrive(healthy.upload.id, 'abc')
    for (const { failed } of await runEach(3, { bucket: stubborn(sick.upload.id) }))
      expect(failed).toBeUndefined()
    expect(await env.BUCKET.head(healthy.upload.id)).toBeNull()
    await runJobIn(4)
    const multipart = env.BUCKET.resumeMultipartUpload(sick.upload.id, sick.upload.multipart_id ?? '')
    await expect(multipart.complete([{ partNumber: 1, etag: part.etag }])).rejects.toThrow('10024')
  })
})
