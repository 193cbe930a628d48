import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Database } from '../db/database.ts'
import { blockedInPlace } from '../files/path.ts'
import { assetTypes } from '../files/schema.ts'
import { giveUp } from '../uploads/give-up.ts'
import { STEP, type Work } from '../work.ts'
import { updateTrashed } from './update.ts'

/**
 * Deletes something in the trash for good (decisions, "Trash"). It is gone from every answer at once, with all
 * that is below it but what was deleted before it; the first rows are removed right away, the rest by the job.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export async function purgeFile(work: Work, id: string): Promise<void> {
  const { db, user_id, now_ms } = work
  await updateTrashed(
    work,
    id,
    sql`purging = 1, trashed_at = coalesce(trashed_at, ${now_ms}), blocked = ${blockedInPlace(id)}`,
  )
  await purgeFlat(db, now_ms, user_id)
}

/** As many folders, one in the other, as a request itself goes down; the job goes further. */
const LEVELS_AT_ONCE = 5

/** Removes what is marked of a user's, as far down as a request goes. */
async function purgeFlat(db: Database, now_ms: number, owner_id: string): Promise<void> {
  for (let levels = 0; levels < LEVELS_AT_ONCE; levels++)
    if ((await purgeStep(db, now_ms, owner_id)).folders === 0) return
}

/** Deletes for good what is in the trash when this begins; what comes in meanwhile stays. */
export async function emptyTrash({ db, user_id, now_ms }: Work): Promise<void> {
  // A replica might not know yet what there is.
  const [latest] = await db.onPrimary().all<{ trashed_at: number }>(
    sql`SELECT trashed_at FROM files WHERE owner_id = ${user_id} AND trashed_at IS NOT NULL AND purging = 0
      ORDER BY trashed_at DESC, id DESC LIMIT 1`,
  )
  if (!latest) return
  const old = sql`owner_id = ${user_id} AND trashed_at <= ${latest.trashed_at}`
  while ((await markPurging(db, old)) > 0) {}
  await purgeFlat(db, now_ms, user_id)
}

/** Marks up to STEP deleted items as being purged. Tells how many. */
export async function markPurging(db: Database, which: Sql): Promise<number> {
  const marked = await db.all(
    sql`UPDATE files SET purging = 1, revision = revision + 1, blocked = ${blockedInPlace(sql`files.id`)}
      WHERE id IN (
        SELECT id FROM files WHERE trashed_at IS NOT NULL AND purging = 0 AND ${which} LIMIT ${STEP}
      ) RETURNING id`,
  )
  return marked.length
}

/**
 * One step of removing what is marked, of one user or of all: the folders in marked folders are marked in their
 * turn, so every step is found again by the next run; then files go, and folders that hold nothing any more.
 * Whatever was deleted by itself has a mark of its own and stays; what a moderator did to the folder goes along to it,
 * so that deleting the folder for good is no way around a block. Tells how many folders were marked, and how many rows
 * were removed or changed beside.
 */
export async function purgeStep(
  db: Database,
  now_ms: number,
  owner_id?: string,
): Promise<{ folders: number; others: number }> {
  const owned = owner_id === undefined ? empty : sql`AND owner_id = ${owner_id}`
  const marked = sql`SELECT id, owner_id, blocked FROM files WHERE purging = 1 ${owned} LIMIT ${STEP}`
  // CROSS JOIN, so that SQLite goes from the marked folders to what is in them, and not the other way.
  const inside = (types: readonly string[]) => sql`SELECT inside.id FROM (${marked}) AS folder
    CROSS JOIN files AS inside INDEXED BY files_by_created_at
    WHERE inside.owner_id = folder.owner_id AND inside.parent_id = folder.id AND inside.asset_type IN (${join(types)}) AND inside.trashed_at IS NULL LIMIT ${STEP}`
  const kept = sql`kept.trashed_at IS NOT NULL AND kept.purging = 0 AND kept.blocked = 0`
  const holdingNothing = sql`SELECT marked.id FROM (${marked}) AS marked
    WHERE NOT (marked.blocked = 1 AND EXISTS (
      SELECT 1 FROM files AS kept INDEXED BY files_trashed_inside WHERE kept.parent_id = marked.id AND ${kept}
    )) AND NOT EXISTS (
      SELECT 1 FROM files AS inside
      WHERE inside.owner_id = marked.owner_id AND inside.parent_id = marked.id AND inside.trashed_at IS NULL
    )`
  const foldersMarked = await db.all(
    sql`UPDATE files SET purging = 1, trashed_at = ${now_ms},
        blocked = max(blocked, (SELECT above.blocked FROM files AS above WHERE above.id = files.parent_id))
      WHERE id IN (${inside(['folder'])}) RETURNING id`,
  )
  const blocked = await db.all(
    sql`UPDATE files SET blocked = 1, revision = revision + 1 WHERE id IN (
        SELECT kept.id FROM (SELECT id FROM (${marked}) WHERE blocked = 1) AS folder
        CROSS JOIN files AS kept INDEXED BY files_trashed_inside
        WHERE kept.parent_id = folder.id AND ${kept} LIMIT ${STEP}
      ) RETURNING id`,
  )
  const filesInside = inside(assetTypes.filter((type) => type !== 'folder'))
  const removed = (await removeRows(db, filesInside)) + (await removeRows(db, holdingNothing))
  return { folders: foldersMarked.length, others: blocked.length + removed }
}

/**
 * Removes items in one batch, with their uploads, and puts their objects on the garbage list: rows go first and
 * objects later, so a crash leaves work and never a record without its content. A URL that may still be used
 * could create an object again; the list knows until when. Shares, and uploads that have failed or whose content
 * has been replaced, go before their files, as many as a step holds.
 */
async function removeRows(db: Database, candidates: Sql): Promise<number> {
  const unshared = await db.all(
    sql`DELETE FROM shares WHERE id IN (
        SELECT shares.id FROM (${candidates}) AS doomed CROSS JOIN shares
        WHERE shares.file_id = doomed.id LIMIT ${STEP}
      ) RETURNING id`,
  )
  const ended = sql`(uploads.state = 'failed' OR (uploads.state = 'completed' AND uploads.id <> files.object_key))`
  const forgotten = await db.all(
    sql`DELETE FROM uploads WHERE id IN (
        SELECT uploads.id FROM files CROSS JOIN uploads ON uploads.file_id = files.id
        WHERE files.id IN (${candidates}) AND ${ended} LIMIT ${STEP}
      ) RETURNING id`,
  )
  const ids = sql`SELECT id FROM files WHERE id IN (${candidates}) AND share_count = 0
    AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.file_id = files.id AND ${ended})`
  const [, , , removed] = await db.batch<[never, never, never, { id: string }]>([
    sql`INSERT INTO garbage (object_key, writable_until)
      SELECT object_key, coalesce((SELECT expires_at FROM uploads WHERE uploads.id = files.object_key), 0)
      FROM files WHERE id IN (${ids}) AND object_key IS NOT NULL
      ON CONFLICT (object_key) DO NOTHING`,
    giveUp(sql`file_id IN (${ids}) AND state <> 'completed'`),
    sql`DELETE FROM uploads WHERE file_id IN (${ids})`,
    sql`DELETE FROM files WHERE id IN (${ids}) RETURNING id`,
  ])
  return unshared.length + forgotten.length + removed.length
}
