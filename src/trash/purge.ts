import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type RequestContext } from '../context.ts'
import type { Database } from '../db/database.ts'
import { emptiedAt } from '../db/marks.ts'
import { assetTypes } from '../db/schema.ts'
import { childIds, hasChildren } from '../files/tree/children.ts'
import { isBlocked } from '../files/tree/visibility.ts'
import { enqueueDeletion } from '../storage/garbage.ts'
import { updateTrashed } from './update.ts'

/** As many rows of each kind, and as many folders, one in the other, as a request itself removes; the job goes further. */
const ROWS_AT_ONCE = 64
const LEVELS_AT_ONCE = 3

/**
 * Deletes something in the trash for good (decisions, "Trash"). It is gone from every answer at once, with all
 * that is below it but what was deleted before it; the first rows are removed right away, the rest by the job.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export async function purgeFile(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id, now_ms } = ctx
  await updateTrashed(
    ctx,
    id,
    sql`purging = 1, trashed_at = coalesce(trashed_at, ${now_ms}), blocked = ${isBlocked(id)}`,
  )
  await db.batch(removeAtOnce(now_ms, user_id))
}

/**
 * Deletes for good what is in the trash when the first statement runs: one mark, which is all that any answer asks for,
 * however much there is. What is deleted later stays. The first rows are removed right away, the rest by the job.
 */
export async function emptyTrash({ db, user_id, now_ms }: RequestContext): Promise<void> {
  db.usePrimary()
  await db.batch([
    markEmptied(user_id),
    purgeEmptied(user_id, ROWS_AT_ONCE),
    ...removeAtOnce(now_ms, user_id),
    dropEmptied(user_id),
  ])
}

/** The statement that marks all that is in a user's trash as deleted for good. */
export function markEmptied(user_id: string): SQL {
  return sql`INSERT INTO trash_emptied (owner_id, emptied_at)
    SELECT owner_id, trashed_at FROM files INDEXED BY files_in_trash
    WHERE owner_id = ${user_id} AND trashed_at IS NOT NULL AND purging = 0 AND trashed_at > ${emptiedAt(user_id)}
    ORDER BY trashed_at DESC, id DESC LIMIT 1
    ON CONFLICT (owner_id) DO UPDATE SET emptied_at = excluded.emptied_at`
}

/** The statement that marks up to `most` items under that mark as being purged. */
export function purgeEmptied(owner_id: string, most: number): SQL {
  return purging(sql`SELECT item.id FROM files AS item INDEXED BY files_in_trash
    WHERE item.owner_id = ${owner_id} AND item.trashed_at <= ${emptiedAt(owner_id)}
      AND item.trashed_at IS NOT NULL AND item.purging = 0 LIMIT ${most}`)
}

/** The statement that drops the mark when nothing is left under it. */
export function dropEmptied(owner_id: string): SQL {
  return sql`DELETE FROM trash_emptied WHERE owner_id = ${owner_id} AND NOT EXISTS (
      SELECT 1 FROM files AS item INDEXED BY files_in_trash
      WHERE item.owner_id = trash_emptied.owner_id AND item.trashed_at <= trash_emptied.emptied_at
        AND item.trashed_at IS NOT NULL AND item.purging = 0
    ) RETURNING owner_id AS id`
}

/** One step of the job: marks what lies under the mark of an emptied trash. Tells how many rows it changed. */
export async function purgeEmptiedStep(db: Database, owner_id: string): Promise<number> {
  const changed = await db.batch([purgeEmptied(owner_id, BATCH_SIZE), dropEmptied(owner_id)])
  return changed.flat().length
}

/** Marks up to STEP deleted items as being purged. Tells how many. */
export async function markPurging(db: Database, which: SQL): Promise<number> {
  const marked = await db.all(
    purging(
      sql`SELECT id FROM files WHERE trashed_at IS NOT NULL AND purging = 0 AND ${which} LIMIT ${BATCH_SIZE}`,
    ),
  )
  return marked.length
}

function purging(ids: SQL): SQL {
  return sql`UPDATE files SET purging = 1, revision = revision + 1, blocked = ${isBlocked(sql`files.id`)}
    WHERE id IN (${ids}) RETURNING id`
}

/** One step of removing what is marked of a user's. Tells how many rows were marked in their turn, changed or removed. */
export async function purgeStep(db: Database, now_ms: number, owner_id: string): Promise<number> {
  let changed = 0
  for (const batch of removing(now_ms, BATCH_SIZE, owner_id)) changed += (await db.batch(batch)).flat().length
  return changed
}

/** The statements that remove what a request itself takes of a user's marked rows: as many whatever is there. */
export function removeAtOnce(now_ms: number, owner_id: string): SQL[] {
  return Array.from({ length: LEVELS_AT_ONCE }, () => removing(now_ms, ROWS_AT_ONCE, owner_id)).flat(2)
}

/**
 * The batches of one step of removing what is marked of a user's: the folders in marked folders are marked
 * in their turn, so every step is found again by the next run; then files go, and folders that hold nothing any more.
 * Whatever was deleted by itself has a mark of its own and stays; what a moderator did to the folder goes along to it,
 * so that deleting the folder for good is no way around a block.
 */
function removing(now_ms: number, most: number, owner_id: string): SQL[][] {
  const now = Math.floor(now_ms / 1_000)
  const marked = sql`SELECT id, owner_id, blocked FROM files WHERE purging = 1 AND owner_id = ${owner_id} LIMIT ${most}`
  const inside = (types: readonly string[]) =>
    sql`${childIds(
      sql`(${marked}) AS folder`,
      sql`child.owner_id = folder.owner_id AND child.parent_id = folder.id AND child.asset_type IN ${types}`,
    )} LIMIT ${most}`
  const kept = sql`kept.trashed_at IS NOT NULL AND kept.purging = 0 AND kept.blocked = 0`
  const holdingNothing = sql`SELECT marked.id FROM (${marked}) AS marked
    WHERE NOT (marked.blocked = 1 AND EXISTS (
      SELECT 1 FROM files AS kept INDEXED BY files_trashed_inside WHERE kept.parent_id = marked.id AND ${kept}
    )) AND NOT ${hasChildren(sql`marked.owner_id`, sql`marked.id`)}`
  return [
    [
      sql`UPDATE files SET purging = 1, trashed_at = ${now_ms},
          blocked = max(blocked, (SELECT above.blocked FROM files AS above WHERE above.id = files.parent_id))
        WHERE id IN (${inside(['folder'])}) RETURNING id`,
    ],
    [
      sql`UPDATE files SET blocked = 1, revision = revision + 1 WHERE id IN (
          SELECT kept.id FROM (SELECT id FROM (${marked}) WHERE blocked = 1) AS folder
          CROSS JOIN files AS kept INDEXED BY files_trashed_inside
          WHERE kept.parent_id = folder.id AND ${kept} LIMIT ${most}
        ) RETURNING id`,
    ],
    ...removeRows(inside(assetTypes.filter((type) => type !== 'folder')), most, now),
    ...removeRows(holdingNothing, most, now),
  ]
}

/**
 * The batches that remove items with their uploads, and put their objects on the garbage list: rows go first and
 * objects later, so a crash leaves work and never a record without its content. A URL that may still be used
 * could create an object again; the list knows until when. Shares, and uploads that have failed or whose content
 * has been replaced, go before their files, as many as a step holds.
 */
function removeRows(candidates: SQL, most: number, now: number): SQL[][] {
  const ended = sql`(uploads.state = 'failed' OR (uploads.state = 'completed' AND uploads.id <> files.object_key))`
  const ids = sql`SELECT id FROM files WHERE id IN (${candidates}) AND share_count = 0
    AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.file_id = files.id AND ${ended})`
  return [
    [
      sql`DELETE FROM shares WHERE id IN (
          SELECT shares.id FROM (${candidates}) AS doomed CROSS JOIN shares
          WHERE shares.file_id = doomed.id LIMIT ${most}
        ) RETURNING id`,
    ],
    [
      sql`DELETE FROM uploads WHERE id IN (
          SELECT uploads.id FROM files CROSS JOIN uploads ON uploads.file_id = files.id
          WHERE files.id IN (${candidates}) AND ${ended} LIMIT ${most}
        ) RETURNING id`,
    ],
    [
      sql`INSERT INTO garbage (object_key, writable_until, given_up_at)
      SELECT object_key, coalesce((SELECT expires_at FROM uploads WHERE uploads.id = files.object_key), 0), ${now}
      FROM files WHERE id IN (${ids}) AND object_key IS NOT NULL
      ON CONFLICT (object_key) DO NOTHING`,
      enqueueDeletion(sql`file_id IN (${ids}) AND state <> 'completed'`, now),
      sql`DELETE FROM uploads WHERE file_id IN (${ids})`,
      sql`DELETE FROM files WHERE id IN (${ids}) RETURNING id`,
    ],
  ]
}
