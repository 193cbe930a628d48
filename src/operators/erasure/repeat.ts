import { z } from '@hono/zod-openapi'
import { type SQL, sql } from 'drizzle-orm'
import { isUnerasedHint } from '../../features/shares/hints.ts'
import { setPurging } from '../../features/trash/purge.ts'
import { BATCH_SIZE, type StorageContext } from '../../platform/context.ts'
import { erasures } from '../../platform/db/schema.ts'
import { insert, joined } from '../../platform/db/sql.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { askStorage } from '../../platform/storage/bucket.ts'
import { remainingContent } from './remove.ts'

/*
 * The bucket has a note of each erasure. A database that is restored to before an erasure has the user's rows again, and
 * `npm run reconcile` finds them by the note. A lifecycle rule of the bucket removes notes after 31 days, one day after the
 * last restore that could need them (docs/going-back.md#erasures-since-then).
 */

/** The key prefix of notes. No content has a key with this prefix. */
const NOTES = 'erased/'

const Note = z.object({ user_id: z.string(), until: z.int(), mark: z.string() })

/** The note of an erasure: all that `user_id` had made by `until` (Unix seconds) was erased. */
export type ErasureNote = z.output<typeof Note>

/** Writes the note of an erasure, before the erasure is written to a database. @throws UNAVAILABLE */
export async function noteErasure({ bucket, config }: StorageContext, note: ErasureNote): Promise<void> {
  await askStorage(config, bucket.put(NOTES + note.mark, JSON.stringify(note)))
}

/**
 * Reads a page of notes, oldest first. `next` is the `after` of the next page, null after the last one.
 *
 * @throws UNAVAILABLE
 */
export async function listErasures(
  { bucket, config }: StorageContext,
  after: string,
  limit: number,
): Promise<{ notes: ErasureNote[]; next: string | null }> {
  const listing = bucket.list({ prefix: NOTES, limit, ...(after !== '' && { startAfter: after }) })
  const { objects, truncated } = await askStorage(config, listing)
  const notes: ErasureNote[] = []
  for (const { key } of objects) {
    const object = await askStorage(config, bucket.get(key))
    const text = object && (await askStorage(config, object.text()))
    if (text) notes.push(Note.parse(JSON.parse(text)))
  }
  return { notes, next: truncated ? (objects.at(-1)?.key ?? null) : null }
}

/** Whether a user's home has rows again that an earlier erasure had removed. */
export async function isUserBack(databases: Databases, note: ErasureNote): Promise<boolean> {
  const rows = await databases
    .home(note.user_id)
    .read(sql<{ is_back: 0 | 1 }>`SELECT ${isBack(note)} AS is_back`)
  return rows[0]?.is_back === 1
}

/** How many items of the trash one statement marks, and how many such statements one call sends. */
const [ITEMS, MAX_STATEMENTS] = [BATCH_SIZE, 20]

/**
 * Marks an earlier erasure again if its user is back in the home, and marks items of the trash. The job removes the rows.
 * Rows and notifications from after the erasure stay. Returns whether the user was back.
 */
export async function repeatErasure(databases: Databases, note: ErasureNote): Promise<boolean> {
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
  for (let sent = 0; sent < MAX_STATEMENTS; sent++) {
    const items = sql`${inTrash(note)} AND ${isMarked} LIMIT ${ITEMS}`
    if ((await home.write(setPurging(items))).length < ITEMS) break
  }
  return true
}

/** SQL: the ids of items in the trash that the erasure covers. The job finds only items at the root level. */
function inTrash({ user_id, until }: ErasureNote): SQL {
  return sql`SELECT id FROM files INDEXED BY files_in_trash
    WHERE owner_id = ${user_id} AND trashed_at IS NOT NULL AND purging = 0 AND created_at <= ${until}`
}

/**
 * SQL: whether rows that the erasure covers exist, and the erasure is not under way. Parked events don't count, because an
 * event may be parked after its user's erasure has ended.
 */
function isBack(note: ErasureNote): SQL {
  const { user_id, until } = note
  const hints = sql`SELECT 1 FROM share_hints WHERE ${isUnerasedHint(user_id, until)}`
  const left = [...remainingContent(user_id, until), inTrash(note), hints].map(
    (rows) => sql`EXISTS (${rows})`,
  )
  return sql`((${joined(left, ' OR ')})
    AND NOT EXISTS (SELECT 1 FROM erasures WHERE user_id = ${user_id} AND until >= ${until} AND is_guest = 0))`
}
