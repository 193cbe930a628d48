import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { editFile } from '../../src/features/files/edit.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { completeUpload, reopen } from '../../src/features/uploads/complete.ts'
import type { UploadRow } from '../../src/features/uploads/row.ts'
import { markFailed } from '../../src/features/uploads/transitions.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import {
  asset,
  file,
  newAsset,
  newVersion,
  replacement,
  startsOfUploads,
  there,
  upload,
} from '../support/acts.ts'
import { accept, checkedWork, reject } from '../support/checking.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf } from '../support/databases.ts'
import { leftOf } from '../support/erasing.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { expectAgreedIn, removed, runEach } from '../support/objects.ts'
import { rounds } from '../support/race.ts'
import { contentOf, uploadRow, usedBytes } from './rows.ts'

/** Starts an upload and sends it, for a user whose content is checked. */
async function arrived(start: (work: RequestContext) => Promise<UploadRow>) {
  const user_id = newUserId()
  const started = await start(contextOf(user_id))
  await arrive(started.id)
  return { ...checkedWork(user_id), id: started.id }
}

/** The same, with content that waits for its verdict. */
async function waiting(start: (work: RequestContext) => Promise<UploadRow>) {
  const sent = await arrived(start)
  const { upload } = await completeUpload(sent.work, sent.id)
  expect(upload.check_state).toBe('waiting')
  return sent
}

describe.each(Object.entries(startsOfUploads))('the verdict on %s', (_, start) => {
  it('is needed once the check has begun, also where an isolate does not know of the checker yet', async () => {
    await rounds(async (round) => {
      const { work, id } = await arrived(start)
      const [checked, unchecked] = await round.race<unknown>([
        () => completeUpload(work, id),
        () => completeUpload(contextOf(work.user_id), id),
      ])
      expect([checked?.code, unchecked?.code]).toEqual([undefined, undefined])
      const row = await uploadRow(id)
      expect([
        { state: 'completed', check_state: null, failure_code: null },
        { state: 'completing', check_state: 'waiting', failure_code: null },
      ]).toContainEqual(row)
      round.fork('it is checked', row?.check_state === 'waiting')
      await expectSound(work.user_id)
    })
  })

  it('may come as late as it likes: the job removes no upload that waits', async () => {
    await rounds(async (round) => {
      const { work, id } = await waiting(start)
      const [verdict] = await round.race<unknown>([() => accept(id), () => runEach(9)])
      expect(verdict?.code).toBeUndefined()
      // Of one that has ended, the job may have removed the row.
      expect([undefined, 'completed']).toContain((await uploadRow(id))?.state)
      expect(await env.BUCKET.head(id)).not.toBeNull()
      await expectSound(work.user_id)
    })
  })
})

it('a verdict comes, or the user is erased, and nothing is left that the erasure reached', async () => {
  const starts = Object.values(startsOfUploads)
  await rounds({ variants: starts.length, settle: removed }, async (round) => {
    // Each kind has both verdicts, one in each order; of the next kind they change places.
    const place = round.order === 'at once' ? round.seed : round.variant + Number(round.order === 'backwards')
    const isGood = place % 2 === 0
    const { work, id } = await waiting(there(starts[round.variant]))
    const [verdict, erased] = await round.race<unknown>([
      () => (isGood ? accept(id) : reject(id)),
      () => eraseUser(work, work.user_id),
      () => runEach(0),
    ])
    expect(erased?.code).toBeUndefined()
    expect([undefined, 'UPLOAD_NOT_FOUND']).toContain(verdict?.code)
    round.later(async () => {
      expect(await leftOf(work.user_id)).toMatchObject({ files: 0, uploads: 0, assets: 0, usage: 0 })
    })
  })
  await expectAgreedIn(3)
})

describe('content that waits for its verdict', () => {
  it('keeps the name of the completion that has begun the check, whatever one says that arrived before', async () => {
    const { work, id } = await arrived(async (ctx) => (await newAsset(ctx, 'asset')).upload)
    const head = async () => {
      await completeUpload(work, id, { name: 'theirs' })
      return env.BUCKET.head(id)
    }
    await completeUpload({ ...work, bucket: overridden(work.bucket, { head }) }, id, { name: 'mine' })
    await accept(id)
    const named = databaseOf(id).prepare('SELECT name FROM game_assets WHERE owner_id = ?').bind(work.user_id)
    expect(await named.first('name')).toBe('theirs')
  })

  it('is neither expired by the job nor opened again by a completion that had found nothing', async () => {
    const { work, id } = await waiting(async (ctx) => (await upload(ctx)).upload)
    await runEach(9)
    expect(await uploadRow(id)).toMatchObject({ state: 'completing', check_state: 'waiting' })
    const found = await reopen(work, id, 'nothing was found')
    expect([found?.upload.state, found?.file?.processing_state]).toEqual(['completing', 'processing'])
    await accept(id)
    expect(await uploadRow(id)).toMatchObject({ state: 'completed', check_state: 'ready' })
  })

  it('keeps the verdict that it had, also while its owner has to complete it again', async () => {
    const user_id = newUserId()
    const { upload: started } = await newAsset(contextOf(user_id), 'castle')
    await arrive(started.id)
    const { work } = checkedWork(user_id)
    await completeUpload(work, started.id)
    await asset(contextOf(user_id), 'castle')
    await accept(started.id)
    await markFailed(work, started.id, 'UPLOAD_REJECTED', 'late', 'failed')
    expect(await uploadRow(started.id)).toEqual({
      state: 'completing',
      check_state: 'ready',
      failure_code: null,
    })
  })
})

describe.each([
  ['a file', startsOfUploads['a file']],
  ['new content of a file', startsOfUploads['new content of a file']],
] as const)('the verdict on %s', (_, start) => {
  it('comes, or the file is purged, and nothing is left behind', async () => {
    await rounds({ variants: 2, settle: () => runEach(0) }, async (round) => {
      const isGood = round.variant === 0
      if (!start) throw new Error('there is no such kind')
      const { work, id } = await waiting(start)
      const file_id = await databaseOf(id)
        .prepare('SELECT file_id FROM uploads WHERE id = ?')
        .bind(id)
        .first<string>('file_id')
      await deleteFile(work, file_id ?? '')
      const [verdict, purged] = await round.race<unknown>([
        () => (isGood ? accept(id) : reject(id)),
        () => purgeFile(work, file_id ?? ''),
        () => runEach(0),
      ])
      expect(purged?.code).toBeUndefined()
      expect([undefined, 'UPLOAD_NOT_FOUND']).toContain(verdict?.code)
      round.later(async () => {
        expect(await usedBytes(work)).toBe(0)
        await expectSound(work.user_id)
      })
    })
    await expectAgreedIn(3)
  })
})

describe('the verdict on a new version', () => {
  it.each([
    ['deleted', deleteAsset],
    ['deleted for good', (work: RequestContext, id: string) => deleteAsset(work, id, { permanent: true })],
  ])('comes when its asset is %s: the version is there, or waits, or has failed', async (_, remove) => {
    await rounds(async (round) => {
      const user_id = newUserId()
      const { id } = await asset(contextOf(user_id))
      const { upload } = await newVersion(contextOf(user_id), id)
      await arrive(upload.id)
      const { work } = checkedWork(user_id)
      await completeUpload(work, upload.id)
      const [verdict, removed] = await round.race<unknown>([
        () => accept(upload.id),
        () => remove(work, id),
        () => runEach(0),
      ])
      expect(removed?.code).toBeUndefined()
      expect([undefined, 'UPLOAD_NOT_FOUND']).toContain(verdict?.code)
      const row = await uploadRow(upload.id)
      if (row?.state !== 'completed')
        expect(row).toEqual(
          remove === deleteAsset
            ? { state: 'completing', check_state: 'ready', failure_code: null }
            : { state: 'failed', check_state: 'waiting', failure_code: 'ASSET_NOT_FOUND' },
        )
      await expectSound(user_id)
    })
    await expectAgreedIn(3)
  })
})

describe('the verdict on new content of a file', () => {
  it('replaces only the revision that the completion expected, and the old content stays otherwise', async () => {
    await rounds(async (round) => {
      const user_id = newUserId()
      const { id, revision, object_key } = await file(contextOf(user_id))
      const { upload } = await replacement(contextOf(user_id), id, [revision])
      await arrive(upload.id)
      const { work } = checkedWork(user_id)
      await completeUpload(work, upload.id)
      const [verdict, edited] = await round.race<unknown>([
        () => accept(upload.id),
        () => editFile(work, id, { name: 'renamed' }, [revision]),
      ])
      expect(verdict?.code).toBeUndefined()
      const key = await contentOf(id)
      expect([key, edited?.code]).toEqual(
        edited?.code === undefined ? [object_key, undefined] : [upload.id, 'PRECONDITION_FAILED'],
      )
      const state = edited?.code === undefined ? 'completing' : 'completed'
      expect(await uploadRow(upload.id)).toMatchObject({ state, check_state: 'ready' })
      await expectSound(user_id)
    })
  })
})
