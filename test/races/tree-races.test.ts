import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { editFile } from '../../src/features/files/edit.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { complete as completion, folder, standingOf, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { countOf, homeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { rounds, tally } from '../support/race.ts'

const isThere = async (work: RequestContext, id: string) => (await standingOf(work, id)) === 'live'

describe('races over the tree', () => {
  it('never closes a cycle when two folders move into each other', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const a = await folder(work, 'a')
      const b = await folder(work, 'b')
      const outcomes = await round.race([
        () => editFile(work, a.id, { parent_id: b.id }),
        () => editFile(work, b.id, { parent_id: a.id }),
      ])
      expect(tally(outcomes)).toBe('1 FILE_CYCLIC_MOVE, 1 ok')
      await expectSound(work.user_id)
    })
  })

  it('never closes a cycle when three folders move in a ring, from deep below', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const tops = await Promise.all(['a', 'b', 'c'].map((name) => folder(work, name)))
      const deep = await Promise.all(
        tops.map(async (top) => folder(work, 'deep', (await folder(work, 'mid', top.id)).id)),
      )
      const outcomes = await round.race(
        tops.map((top, i) => () => editFile(work, top.id, { parent_id: deep[(i + 1) % 3]?.id ?? null })),
      )
      expect(tally(outcomes)).toBe('1 FILE_CYCLIC_MOVE, 2 ok')
      await expectSound(work.user_id)
    })
  })

  it('never moves an item into a folder that has just been deleted, as if it had not been', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const [top, item] = await Promise.all([folder(work, 'top'), folder(work, 'item')])
      const target = await folder(work, 'target', top.id)
      const [moved, deleted] = await round.race<unknown>([
        () => editFile(work, item.id, { parent_id: target.id }),
        () => deleteFile(work, top.id),
      ])
      expect(deleted?.code).toBeUndefined()
      expect([undefined, 'FILE_PARENT_NOT_FOUND']).toContain(moved?.code)
      if (round.isBefore(deleted, moved)) expect(moved?.code).toBe('FILE_PARENT_NOT_FOUND')
      expect(await isThere(work, item.id), 'gone with the folder if it got in, in its place if not').toBe(
        !!moved?.code,
      )
      await expectSound(work.user_id)
    })
  })

  it('never creates a folder in one that has just been deleted, as if it had not been', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const top = await folder(work, 'top')
      const target = await folder(work, 'target', top.id)
      const [created, deleted] = await round.race<unknown>([
        () => folder(work, 'new', target.id),
        () => deleteFile(work, top.id),
      ])
      expect(deleted?.code).toBeUndefined()
      expect([undefined, 'FILE_PARENT_NOT_FOUND']).toContain(created?.code)
      if (round.isBefore(deleted, created)) expect(created?.code).toBe('FILE_PARENT_NOT_FOUND')
      const made = await countOf('files WHERE parent_id = ?', target.id)
      expect(made, 'a refused creation leaves nothing').toBe(created?.code ? 0 : 1)
      await expectSound(work.user_id)
    })
  })

  it('never starts an upload in a folder that has just been deleted, as if it had not been', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const top = await folder(work, 'top')
      const target = await folder(work, 'target', top.id)
      const [started, deleted] = await round.race<unknown>([
        () => upload(work, target.id),
        () => deleteFile(work, top.id),
      ])
      expect(deleted?.code).toBeUndefined()
      expect([undefined, 'FILE_PARENT_NOT_FOUND']).toContain(started?.code)
      if (round.isBefore(deleted, started)) expect(started?.code).toBe('FILE_PARENT_NOT_FOUND')
      const begun = await countOf('uploads WHERE owner_id = ?', work.user_id)
      expect(begun, 'a refused start reserves nothing').toBe(started?.code ? 0 : 1)
      await expectSound(work.user_id)
    })
  })

  it('deletes an item once, however many try', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const item = await folder(work, 'item')
      const outcomes = await round.race([1, 2, 3].map(() => () => deleteFile(work, item.id)))
      expect(tally(outcomes)).toBe('1 ok, 2 FILE_NOT_FOUND')
      await expectSound(work.user_id)
    })
  })

  it('lets one of several changes through that expect the same revision', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const item = await folder(work, 'item')
      const outcomes = await round.race<unknown>([
        () => editFile(work, item.id, { name: 'one' }, [1]),
        () => editFile(work, item.id, { name: 'two' }, [1]),
        () => editFile(work, item.id, { is_public: true }, [1]),
      ])
      expect(tally(outcomes)).toBe('1 ok, 2 PRECONDITION_FAILED')
    })
  })

  it('never passes the depth limit by moves that each would fit', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId(), {}, { MAX_FOLDER_DEPTH: 4 })
      const chain = async (name: string) => {
        const outer = await folder(work, name)
        return { outer, inner: await folder(work, name, outer.id) }
      }
      const [a, b, c] = await Promise.all([chain('a'), chain('b'), chain('c')])
      const outcomes = await round.race([
        () => editFile(work, b.outer.id, { parent_id: a.inner.id }),
        () => editFile(work, c.outer.id, { parent_id: b.inner.id }),
      ])
      expect(await deepest(work.user_id)).toBeLessThanOrEqual(5)
      expect(tally(outcomes)).toBe('1 LIMIT_REACHED, 1 ok')
      await expectSound(work.user_id)
    })
  })

  it('never passes the depth limit by a creation and a move that each would fit', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId(), {}, { MAX_FOLDER_DEPTH: 2 })
      const a = await folder(work, 'a')
      const b = await folder(work, 'b')
      const inner = await folder(work, 'inner', b.id)
      const outcomes = await round.race<unknown>([
        () => editFile(work, b.id, { parent_id: a.id }),
        () => folder(work, 'new', inner.id),
      ])
      expect(tally(outcomes)).toBe('1 LIMIT_REACHED, 1 ok')
      expect(await deepest(work.user_id)).toBeLessThanOrEqual(3)
    })
  })

  it('never passes the item limit by creations that each would fit', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId(), {}, { MAX_ITEMS: 3 })
      await folder(work, 'first')
      const outcomes = await round.race<unknown>([
        () => folder(work, 'a'),
        () => folder(work, 'b'),
        () => upload(work),
        () => upload(work),
      ])
      expect(tally(outcomes)).toBe('2 LIMIT_REACHED, 2 ok')
      await expectSound(work.user_id)
    })
  })
})

describe('races over uploads', () => {
  it('gives two completions one answer', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const started = await upload(work)
      await arrive(started.upload.id)
      const complete = () => completion(work, started.upload.id)
      const [one, two] = await round.race([complete, complete])
      expect(one?.answer?.upload.state).toBe('completed')
      expect(one?.answer?.file.processing_state).toBe('ready')
      expect(one?.answer).toEqual(two?.answer)
      expect(one?.answer).toEqual(await complete())
      await expectSound(work.user_id)
    })
  })

  it('gives two completions of wrong content one refusal', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const started = await upload(work, null, 4)
      await arrive(started.upload.id)
      const complete = () => completion(work, started.upload.id)
      expect(tally(await round.race([complete, complete]))).toBe('2 UPLOAD_MISMATCH')
      expect(await env.BUCKET.head(started.upload.id)).toBeNull()
      await expectSound(work.user_id)
    })
  })

  it('either completes or aborts', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const { upload: started, file } = await upload(work)
      await arrive(started.id)
      const [completed, aborted] = await round.race<unknown>([
        () => completeUpload(work, started.id),
        () => abortUpload(work, started.id),
      ])
      const outcome = [completed?.code, aborted?.code]
      expect([
        ['UPLOAD_NOT_FOUND', undefined],
        [undefined, 'UPLOAD_COMPLETED'],
      ]).toContainEqual(outcome)
      const won = completed?.code === undefined
      expect(await isThere(work, file.id)).toBe(won)
      expect((await env.BUCKET.head(started.id)) !== null, 'content with its record, none without').toBe(won)
      await expectSound(work.user_id)
    })
  })
})

/** The number of folders on the longest path of a user, itself included. */
async function deepest(user_id: string): Promise<number | null> {
  return homeOf(user_id)
    .prepare(
      `WITH RECURSIVE down (id, level) AS (
      SELECT id, 1 FROM files WHERE owner_id = ?1 AND parent_id IS NULL
      UNION ALL SELECT files.id, level + 1 FROM down JOIN files ON files.parent_id = down.id AND files.owner_id = ?1
    ) SELECT max(level) AS deepest FROM down`,
    )
    .bind(user_id)
    .first<number>('deepest')
}
