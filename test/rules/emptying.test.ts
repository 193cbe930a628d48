import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { exists, isBlocked, isLive, isNotPurging, pathFrom } from '../../src/features/files/path.ts'
import { folderLevel } from '../../src/features/files/placement.ts'
import { readFile } from '../../src/features/files/read.ts'
import { emptyTrash } from '../../src/features/trash/empty.ts'
import { purgeFile, ROWS_PER_REQUEST } from '../../src/features/trash/purge.ts'
import { restoreFile } from '../../src/features/trash/restore.ts'
import { blockFile } from '../../src/operators/moderation/block.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { file, folder } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { countOf, databaseOf, homeOf } from '../support/databases.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { meter } from '../support/meter.ts'
import { runJobIn } from '../support/objects.ts'
import { seedSiblings } from '../support/seed.ts'
import { signUp } from '../support/user.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

describe('a condition that is about a row of the statement around it', () => {
  it('is evaluated for that row, whatever other rows exist', async () => {
    const [ada, bob] = [contextOf(newUserIdIn(FIRST)), contextOf(newUserIdIn(FIRST))]
    const outer = await folder(ada, 'outer')
    const inner = await folder(ada, 'inner', outer.id)
    const other = await folder(bob, 'other')
    const gone = await folder(bob, 'gone')
    await blockFile(bob, other.id)
    await databaseOf(gone.id)
      .prepare('UPDATE files SET trashed_at = 1, purging = 1 WHERE id = ?')
      .bind(gone.id)
      .run()
    const rows = await ada.db.read(sql`SELECT id, ${isBlocked(sql`files.id`)} AS blocked,
        ${exists(sql`files.id`)} AS not_gone, ${isNotPurging(sql`files.id`)} AS not_purging,
        ${isLive(sql`files.id`, sql`${ada.user_id}`)} AS live, (${folderLevel(sql`files.id`, sql`${ada.user_id}`)}) AS level,
        (SELECT count(*) FROM (${pathFrom(sql`files.id`)})) AS length
      FROM files WHERE owner_id IN (${ada.user_id}, ${bob.user_id}) ORDER BY owner_id = ${bob.user_id}, created_at, id`)
    const of = { not_gone: 1, not_purging: 1, live: 1, blocked: 0, level: 1, length: 1 }
    expect(rows).toEqual([
      { ...of, id: outer.id },
      { ...of, id: inner.id, level: 2, length: 2 },
      { ...of, id: other.id, blocked: 1, live: 0, level: null },
      { ...of, id: gone.id, not_gone: 0, not_purging: 0, live: 0, level: null },
    ])
  })
})

describe('emptying a trash', () => {
  it('reads no rows of other users', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    await seedSiblings((await signUp('bob')).id, null, 10_000)
    const [top, file] = [await ada.folder('top'), await ada.folder('inside')]
    for (const item of [top, file]) await ada.delete(item)
    const cost = await of(() => ada.request('DELETE', '/trash'))
    expect(cost.rows_read).toBeLessThanOrEqual(400)
    expect(await ada.trashed()).toEqual([])
  })
})

it('what is deleted after an emptying stays in the trash, also when a clock is behind', async () => {
  const ada = contextOf(newUserId())
  const { id } = await folder(ada, 'later')
  // An emptying of a large trash by a Worker whose clock is 30 s ahead, which the job has not ended yet.
  await homeOf(ada.user_id)
    .prepare('INSERT INTO trash_emptied (owner_id, emptied_at) VALUES (?, ?)')
    .bind(ada.user_id, ada.now_ms + 30_000)
    .run()
  await deleteFile(ada, id)
  await runJobIn(0)
  expect((await restoreFile(ada, id)).name).toBe('later')
})

describe('what is purged', () => {
  it('leaves its block to each item that was deleted before it, also to more than a statement blocks', async () => {
    const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
    const outer = await folder(ada, 'outer')
    const count = ROWS_PER_REQUEST + 1
    await Promise.all(
      Array.from({ length: count }, async (_, index) =>
        deleteFile(ada, (await folder(ada, `${index}`, outer.id)).id),
      ),
    )
    await blockFile(bob, outer.id)
    await deleteFile(ada, outer.id)
    await purgeFile(ada, outer.id)
    await runJobIn(0)
    expect(await countOf('files WHERE owner_id = ? AND blocked = 1', ada.user_id)).toBe(count)
  })

  it('removes no block of another item', async () => {
    const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
    await blockFile(bob, (await file(bob)).id)
    const outer = await folder(ada, 'outer')
    const kept = await file(ada, outer.id)
    await deleteFile(ada, kept.id)
    await deleteFile({ ...ada, now_ms: ada.now_ms - 31 * DAY_MS }, outer.id)
    await runJobIn(0)
    await restoreFile(ada, kept.id)
    expect((await readFile(ada, kept.id)).item.blocked).toBe(0)
    await deleteFile(ada, kept.id)
    await emptyTrash(ada)
    await runJobIn(0)
  })
})
