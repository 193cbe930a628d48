import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { isWholeNumber, type Page, pageOf, positionAt } from '../db/keyset.ts'
import { emptiedAt } from '../db/marks.ts'
import { type FileRow, fileColumns } from '../files/record.ts'
import type { ListTrash } from './schema.ts'

const LIST = ['trash']

/** One page of what the caller deleted directly, most recent deletion first. @throws INVALID_CURSOR */
export async function listTrash(
  { db, user_id }: RequestContext,
  { limit, cursor }: ListTrash,
): Promise<Page<FileRow>> {
  const after = cursor === undefined ? undefined : positionAt(cursor, LIST, isWholeNumber)
  const rows = await db.all<FileRow & { trashed_at: number }>(
    sql`SELECT ${fileColumns} FROM files
      WHERE owner_id = ${user_id} AND trashed_at IS NOT NULL AND purging = 0
        AND trashed_at > ${emptiedAt(user_id)}
        ${after ? sql`AND (trashed_at, id) < (${after.key}, ${after.id})` : sql.empty()}
      ORDER BY trashed_at DESC, id DESC LIMIT ${limit + 1}`,
  )
  return pageOf(LIST, rows, limit, (last) => last.trashed_at)
}
