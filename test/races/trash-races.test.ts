import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { editFile } from '../../src/features/files/edit.ts'
import type { FileRow } from '../../src/features/files/row.ts'
import { emptyTrash } from '../../src/features/trash/empty.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { restoreFile } from '../../src/features/trash/restore.ts'
import { file, folder, standingOf, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectAgreedIn, runEach } from '../support/objects.ts'
import { rounds } from '../support/race.ts'

describe('races over the trash', () => {
  it('either restores or purges', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const item = await folder(work, 'item')
      const inside = await file(work, item.id)
      await deleteFile(work, item.id)
      const [restored, purged] = await round.race<unknown>([
        () => restoreFile(work, item.id),
        () => purgeFile(work, item.id),
      ])
      const outcome = [restored?.code, purged?.code]
      expect([
        [undefined, 'FILE_NOT_TRASHED'],
        ['FILE_NOT_FOUND', undefined],
      ]).toContainEqual(outcome)
      const state = restored?.code ? 'gone' : 'live'
      expect([await standingOf(work, item.id), await standingOf(work, inside.id)]).toEqual([state, state])
      await expectSound(work.user_id)
    })
    await expectAgreedIn(3)
  })

  it('loses nothing when an item is restored while its folder is deleted', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const parent = await folder(work, 'parent')
      const item = await folder(work, 'item', parent.id)
      await deleteFile(work, item.id)
      const [restored, deleted] = await round.race<FileRow | undefined>([
        () => restoreFile(work, item.id),
        () => deleteFile(work, parent.id).then(() => undefined),
      ])
      expect([restored?.code, deleted?.code]).toEqual([undefined, undefined])
      const isAtRoot = restored?.answer && restored.answer.parent_id === null
      expect(await standingOf(work, item.id)).toBe(isAtRoot ? 'live' : 'trashed')
      await restoreFile(work, parent.id)
      expect(await standingOf(work, item.id)).toBe('live')
      await expectSound(work.user_id)
    })
  })

  it('has every item in one place when a folder and something in it are restored at once', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const outer = await folder(work, 'outer')
      const inside = await folder(work, 'inside', outer.id)
      await deleteFile(work, outer.id)
      const [both, alone] = await round.race([
        () => restoreFile(work, outer.id),
        () => restoreFile(work, inside.id),
      ])
      expect(both?.code).toBeUndefined()
      expect([undefined, 'FILE_NOT_TRASHED']).toContain(alone?.code)
      if (alone?.answer) expect(alone.answer.parent_id).toBeNull()
      expect([await standingOf(work, outer.id), await standingOf(work, inside.id)]).toEqual(['live', 'live'])
      await expectSound(work.user_id)
    })
  })

  it('either empties the trash of an item or restores it', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const [item, other] = [await file(work), await folder(work, 'other')]
      for (const { id } of [item, other]) await deleteFile(work, id)
      const [emptied, restored] = await round.race<unknown>([
        () => emptyTrash(work),
        () => restoreFile(work, item.id),
      ])
      expect(emptied?.code).toBeUndefined()
      expect([undefined, 'FILE_NOT_FOUND']).toContain(restored?.code)
      expect(await standingOf(work, item.id)).toBe(restored?.code ? 'gone' : 'live')
      expect(await standingOf(work, other.id)).toBe('gone')
      await expectSound(work.user_id)
    })
  })

  it('keeps apart what was deleted before and what goes with the folder', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const outer = await folder(work, 'outer')
      const [earlier, purged, kept] = [
        await folder(work, 'earlier', outer.id),
        await file(work, outer.id),
        await folder(work, 'kept', outer.id),
      ]
      for (const { id } of [earlier, purged]) await deleteFile(work, id)
      const outcomes = await round.race<unknown>([
        () => deleteFile(work, outer.id),
        () => purgeFile(work, purged.id),
        () => runEach(0),
      ])
      expect(outcomes.map(({ code }) => code)).toEqual([undefined, undefined, undefined])
      await restoreFile(work, outer.id)
      const states = await Promise.all([outer, kept, earlier, purged].map(({ id }) => standingOf(work, id)))
      expect(states).toEqual(['live', 'live', 'trashed', 'gone'])
      await expectSound(work.user_id)
    })
  })

  it('lets nothing into a folder that is being purged, and leaves nothing of what got in before', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const outer = await folder(work, 'outer')
      const [inner, mover] = [await folder(work, 'inner', outer.id), await file(work)]
      const deletedAndPurged = async () => {
        await deleteFile(work, outer.id)
        await purgeFile(work, outer.id)
      }
      const [purged, created, started, moved, restored] = await round.race<unknown>([
        deletedAndPurged,
        () => folder(work, 'new', inner.id),
        async () => {
          const { upload: begun } = await upload(work, inner.id)
          await arrive(begun.id)
        },
        () => editFile(work, mover.id, { parent_id: inner.id }),
        () => restoreFile(work, inner.id),
      ])
      const allowed = [undefined, 'FILE_PARENT_NOT_FOUND', 'FILE_NOT_FOUND', 'FILE_NOT_TRASHED']
      for (const outcome of [purged, created, started, moved, restored])
        expect(allowed).toContain(outcome?.code)
      const escaped = restored?.code === undefined
      expect(await standingOf(work, outer.id)).toBe(purged?.code === undefined ? 'gone' : 'live')
      expect(await standingOf(work, inner.id)).toBe(escaped ? 'live' : 'gone')
      const lost = moved?.code === undefined && !escaped
      expect(await standingOf(work, mover.id)).toBe(lost ? 'gone' : 'live')
      await expectSound(work.user_id)
    })
    await expectAgreedIn(3)
  })
})
