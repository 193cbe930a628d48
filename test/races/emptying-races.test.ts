import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { editFile } from '../../src/features/files/edit.ts'
import type { FileRow } from '../../src/features/files/row.ts'
import { createShare } from '../../src/features/shares/create.ts'
import { listSharedWith } from '../../src/features/shares/read.ts'
import { emptyTrash } from '../../src/features/trash/empty.ts'
import { listTrash } from '../../src/features/trash/list.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { restoreFile } from '../../src/features/trash/restore.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { file, folder, standingOf, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { countOf, homeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectAgreedIn, runJobIn } from '../support/objects.ts'
import { type Outcome, type Round, rounds } from '../support/race.ts'
import { openAccount } from '../support/seed.ts'

/** As many as a request itself marks: what was deleted after these is gone by the mark of the emptied trash alone. */
const DELETED_BEFORE = 64

const folders = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${DELETED_BEFORE})
  INSERT INTO files (id, owner_id, name, asset_type, size_bytes, created_at, updated_at, trashed_at)
  SELECT ?1 || i, ?1, 'x', 'folder', 0, 1, 1, ?2 FROM n`

type Standing = Awaited<ReturnType<typeof standingOf>>

/** What a round came to: where each item stands, and which of them is to be restored in the end. */
interface End {
  standings: [id: string, standing: Standing][]
  deleted?: FileRow
  /** What must hold when the job has run and what was deleted has been restored. */
  after?: () => Promise<void>
}

/**
 * Runs the rounds, every other one with a trash that holds more than a request marks; all have a folder `old` with a file in it. What was in the trash at its emptying is gone and stays gone; what came later is there when the job has run, and
 * can be restored. Counters equal a recount all the time, quotas among them.
 */
async function emptying(
  act: (round: Round, work: RequestContext, old: FileRow, inside: FileRow) => Promise<End>,
) {
  await rounds({ variants: 2, settle: () => runJobIn(0) }, async (round) => {
    const work = contextOf(newUserId())
    await openAccount(work.user_id)
    if (round.variant === 1)
      await homeOf(work.user_id)
        .prepare(folders)
        .bind(work.user_id, work.now_ms - 1)
        .run()
    const old = await folder(work, 'old')
    const inside = await file(work, old.id)
    const end = await act(round, work, old, inside)
    const trash = (await listTrash(work, { limit: 50, cursor: undefined })).rows.map(({ id }) => id)
    const isTrashed = end.standings.some(([id, standing]) => id === end.deleted?.id && standing === 'trashed')
    expect(trash).toEqual(isTrashed ? [end.deleted?.id] : [])
    await expectStandings(work, end)
    await expectSound(work.user_id)
    round.later(async () => {
      await expectStandings(work, end)
      if (isTrashed) {
        await restoreFile(work, end.deleted?.id ?? '')
        for (const [id, standing] of end.standings)
          expect(await standingOf(work, id)).toBe(standing === 'trashed' ? 'live' : standing)
      }
      await end.after?.()
      await expectSound(work.user_id)
    })
  })
  await expectAgreedIn(3)
}

async function expectStandings(work: RequestContext, { standings }: End): Promise<void> {
  for (const [id, standing] of standings) expect(await standingOf(work, id)).toBe(standing)
}

/** Where something stands that has been deleted while the trash was emptied: either came first. */
async function deletedStanding(
  round: Round,
  work: RequestContext,
  id: string,
  emptied: Outcome<unknown> | undefined,
  deleted: Outcome<unknown> | undefined,
): Promise<Standing> {
  expect([emptied?.code, deleted?.code]).toEqual([undefined, undefined])
  const standing = await standingOf(work, id)
  const possible = round.isBefore(emptied, deleted)
    ? ['trashed']
    : round.isBefore(deleted, emptied)
      ? ['gone']
      : ['trashed', 'gone']
  expect(possible).toContain(standing)
  return standing
}

describe('emptying the trash while something else goes on', () => {
  it('takes what is deleted at the same time with its shares, or leaves all of it in the trash', async () => {
    await emptying(async (round, work, old, inside) => {
      const [item, bob] = [await file(work), contextOf(newUserId())]
      const share = { grantee_id: bob.user_id, permission: 'view' } as const
      await createShare(work, inside.id, share)
      await deleteFile(work, old.id)
      const [emptied, deleted, shared] = await round.race<unknown>([
        () => emptyTrash(work),
        () => deleteFile(work, item.id),
        () => createShare(work, item.id, share),
      ])
      const standing = await deletedStanding(round, work, item.id, emptied, deleted)
      expect([undefined, 'FILE_NOT_FOUND']).toContain(shared?.code)
      if (round.isBefore(deleted, shared)) expect(shared?.code).toBe('FILE_NOT_FOUND')
      const seen = async () =>
        (await listSharedWith(bob, { limit: 50, cursor: undefined })).rows.map(({ file_id }) => file_id)
      const isKept = standing === 'trashed' && shared?.code === undefined
      expect(await seen()).toEqual(isKept ? [item.id] : [])
      return {
        standings: [
          [inside.id, 'gone'],
          [item.id, standing],
        ],
        deleted: item,
        after: async () => {
          expect(await seen()).toEqual(isKept ? [item.id] : [])
          const rows = await countOf('shares WHERE grantee_id = ?', bob.user_id)
          expect(rows).toBe(Number(isKept))
        },
      }
    })
  })

  it('is one with deleting for good: gone either way, and told to one of them only', async () => {
    await emptying(async (round, work, old, inside) => {
      const item = await file(work)
      await deleteFile(work, old.id)
      const [emptied, purged, both] = await round.race<unknown>([
        () => emptyTrash(work),
        () => purgeFile(work, old.id),
        () => deleteFile(work, item.id).then(() => purgeFile(work, item.id)),
      ])
      expect(emptied?.code).toBeUndefined()
      for (const { code } of [purged, both].filter((one) => one !== undefined))
        expect([undefined, 'FILE_NOT_FOUND']).toContain(code)
      if (round.isBefore(emptied, purged)) expect(purged?.code).toBe('FILE_NOT_FOUND')
      if (round.isBefore(purged, emptied)) expect(purged?.code).toBeUndefined()
      if (round.isBefore(emptied, both)) expect(both?.code).toBeUndefined()
      return { standings: [old, inside, item].map(({ id }) => [id, 'gone']) }
    })
  })

  it('takes no more and no less than what lies in a deleted folder, whatever is moved out of it and into it', async () => {
    await emptying(async (round, work, old, inside) => {
      const mover = await file(work)
      const [emptied, deleted, out, into] = await round.race<unknown>([
        () => emptyTrash(work),
        () => deleteFile(work, old.id),
        () => editFile(work, inside.id, { parent_id: null }),
        () => editFile(work, mover.id, { parent_id: old.id }),
      ])
      const standing = await deletedStanding(round, work, old.id, emptied, deleted)
      expect([undefined, 'FILE_NOT_FOUND']).toContain(out?.code)
      expect([undefined, 'FILE_PARENT_NOT_FOUND']).toContain(into?.code)
      if (round.isBefore(deleted, out)) expect(out?.code).toBe('FILE_NOT_FOUND')
      if (round.isBefore(deleted, into)) expect(into?.code).toBe('FILE_PARENT_NOT_FOUND')
      return {
        standings: [
          [old.id, standing],
          [inside.id, out?.code ? standing : 'live'],
          [mover.id, into?.code ? 'live' : standing],
        ],
        deleted: old,
      }
    })
  })

  it('leaves no upload half done that completes below what is deleted', async () => {
    await emptying(async (round, work, old, inside) => {
      const late = await folder(work, 'late')
      const [below, belowLate] = [await upload(work, old.id), await upload(work, late.id)]
      for (const started of [below, belowLate]) await arrive(started.upload.id)
      await deleteFile(work, old.id)
      const [emptied, deleted, completed, completedLate] = await round.race<unknown>([
        () => emptyTrash(work),
        () => deleteFile(work, late.id),
        () => completeUpload(work, below.upload.id),
        () => completeUpload(work, belowLate.upload.id),
      ])
      const standing = await deletedStanding(round, work, late.id, emptied, deleted)
      for (const { code } of [completed, completedLate].filter((one) => one !== undefined))
        expect([undefined, 'UPLOAD_NOT_FOUND']).toContain(code)
      if (round.isBefore(emptied, completed)) expect(completed?.code).toBe('UPLOAD_NOT_FOUND')
      if (standing === 'trashed') expect(completedLate?.code).toBeUndefined()
      return {
        standings: [
          [old.id, 'gone'],
          [inside.id, 'gone'],
          [below.file.id, 'gone'],
          [late.id, standing],
          [belowLate.file.id, standing],
        ],
        deleted: late,
      }
    })
  })

  it('takes what is restored at the same time, or leaves it to its owner', async () => {
    await emptying(async (round, work, old, inside) => {
      const other = await file(work)
      for (const { id } of [old, other]) await deleteFile(work, id)
      const [emptied, restored, alone] = await round.race<unknown>([
        () => emptyTrash(work),
        () => restoreFile(work, old.id),
        () => restoreFile(work, inside.id),
      ])
      expect(emptied?.code).toBeUndefined()
      expect([undefined, 'FILE_NOT_FOUND']).toContain(restored?.code)
      expect([undefined, 'FILE_NOT_FOUND', 'FILE_NOT_TRASHED']).toContain(alone?.code)
      if (round.isBefore(emptied, restored)) expect(restored?.code).toBe('FILE_NOT_FOUND')
      if (round.isBefore(restored, emptied)) expect(restored?.code).toBeUndefined()
      if (alone?.code === 'FILE_NOT_TRASHED') expect(restored?.code).toBeUndefined()
      return {
        standings: [
          [old.id, restored?.code ? 'gone' : 'live'],
          [inside.id, alone?.code === 'FILE_NOT_FOUND' ? 'gone' : 'live'],
          [other.id, 'gone'],
        ],
      }
    })
  })
})
