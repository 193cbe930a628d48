import { type SQL, sql } from 'drizzle-orm'
import { markItemsPurging } from '../../features/trash/purge.ts'
import { BATCH_SIZE } from '../../platform/context.ts'
import { erasures } from '../../platform/db/schema.ts'
import { insert, joined } from '../../platform/db/sql.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { isUnerasedHint } from '../../platform/shards/share-hints.ts'
import type { ErasureNote } from './log.ts'
import { whatIsLeft } from './remove.ts'

/** Whether a user's home has anything that an erasure of before had removed, and no mark of it. */
export async function isLeft(databases: Databases, note: ErasureNote): Promise<boolean> {
  const rows = await databases
    .home(note.user_id)
    .read(sql<{ is_left: 0 | 1 }>`SELECT ${isBack(note)} AS is_left`)
  return rows[0]?.is_left === 1
}

/** How many items of the trash one statement marks, and how many such statements one call sends at most. */
const [ITEMS, STATEMENTS] = [BATCH_SIZE, 20]

/**
 * Marks an erasure of before once more where its user is back, and the job does the rest. What was made after it stays,
 * and so does the inbox, which was erased then. Returns whether the user was back.
 */
export async function eraseAgain(databases: Databases, note: ErasureNote): Promise<boolean> {
  const { user_id, until, mark } = note
  const home = databases.home(user_id)
  const isMarked = sql`EXISTS (SELECT 1 FROM erasures WHERE user_id = ${user_id} AND until = ${until})`
  const { marked } = await home.write({
    marked: sql<{
      user_id: string
    }>`${insert(erasures, { user_id, until, mark }, sql`WHERE ${isBack(note)}`)}
      ON CONFLICT (user_id) DO UPDATE SET until = excluded.until, mark = max(mark, excluded.mark), inbox_erased = 0,
        is_guest = 0, asked = NULL, next_at = 0 WHERE until < excluded.until RETURNING user_id`,
    limit: sql`UPDATE usage SET limit_bytes = NULL WHERE user_id = ${user_id} AND ${isMarked}`,
  })
  if (marked.length === 0) return false
  for (let sent = 0; sent < STATEMENTS; sent++) {
    const items = sql`${inTrash(note)} AND ${isMarked} LIMIT ${ITEMS}`
    if ((await home.write(markItemsPurging(items))).length < ITEMS) break
  }
  return true
}

/** SQL: the ids of items in the trash that had been made by then. The job finds only what is at the root. */
function inTrash({ user_id, until }: ErasureNote): SQL {
  return sql`SELECT id FROM files INDEXED BY files_in_trash
    WHERE owner_id = ${user_id} AND trashed_at IS NOT NULL AND purging = 0 AND created_at <= ${until}`
}

/** SQL: whether anything of before is there, and the erasure is not under way. */
function isBack(note: ErasureNote): SQL {
  const { user_id, until } = note
  const hints = sql`SELECT 1 FROM share_hints WHERE ${isUnerasedHint(user_id, until)}`
  const left = [...whatIsLeft(user_id, until), inTrash(note), hints].map((rows) => sql`EXISTS (${rows})`)
  return sql`((${joined(left, ' OR ')})
    AND NOT EXISTS (SELECT 1 FROM erasures WHERE user_id = ${user_id} AND until >= ${until} AND is_guest = 0))`
}
