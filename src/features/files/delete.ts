import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions, revisionIn } from '../../platform/db/revision.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { emptiedAt, isLive, pathTo, writeError } from './path.ts'
import type { FileRow } from './row.ts'

/** SQL: whether the profile picture of a file's owner is this file, or may be in this folder. */
const mayShowPicture = sql`asset_type IN ('profile_pic', 'folder') AND EXISTS (SELECT 1 FROM profiles
    WHERE user_id = files.owner_id AND (files.asset_type = 'folder' OR picture_id = files.id)) AS may_show_picture`

interface Deleted extends Pick<FileRow, 'id'> {
  may_show_picture: 0 | 1
}

/** The `trashed_at` is above the time until which the trash was emptied, even if clocks differ. */
const trash = statement(
  (p: Params<'id' | 'user_id' | 'now_ms' | 'expected'>) =>
    sql<Deleted>`UPDATE files SET trashed_at = max(${p.now_ms}, ${emptiedAt(p.user_id)} + 1), revision = revision + 1
      WHERE id = ${p.id} AND ${isLive(p.id, p.user_id)} AND ${revisionIn(p.expected)} RETURNING id, ${mayShowPicture}`,
)

/**
 * Puts an item into the trash, and with it everything below (docs/conformance.md#files). Only the row of the
 * item itself is written.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteFile(
  { db, user_id, now_ms, ended }: RequestContext,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  await retryOnConflict(async () => {
    const [deleted] = await db.write(trash({ id, user_id, now_ms, expected: listOfRevisions(expected) }))
    if (deleted?.may_show_picture === 1) ended.push(['profile', user_id])
    if (deleted) return deleted
    const error = writeError(await db.read(pathTo({ id })), user_id, expected)
    if (error) throw error
    return undefined
  })
}
