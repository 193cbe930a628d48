import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isWholeNumber, type Page, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { keptStatements } from '../../platform/db/sql.ts'
import { type FileRow, fileColumns } from '../files/row.ts'
import { emptiedAt } from '../files/tree/walk.ts'
import type { ListTrash } from './schema.ts'

const LIST = ['trash']

interface TrashedRow extends FileRow {
  trashed_at: number
}

const keptPage = keptStatements<TrashedRow>()

/** A page of the items that the caller deleted directly, latest deletion first. @throws INVALID_CURSOR */
export async function listTrash(
  { db, user_id }: RequestContext,
  { limit, cursor }: ListTrash,
): Promise<Page<FileRow>> {
  const after = positionAt(cursor, LIST, isWholeNumber)
  const values = { user_id, key: after?.key, id: after?.id, limit: limit + 1 }
  const rows = await db.read(keptPage('page', () => pageStatement(after !== undefined), values))
  return pageOf(LIST, rows, limit, (last) => last.trashed_at)
}

function pageStatement(isAfter: boolean) {
  const user_id = sql`${sql.placeholder('user_id')}`
  const position = sql`AND (trashed_at, id) < (${sql.placeholder('key')}, ${sql.placeholder('id')})`
  return sql<TrashedRow>`SELECT ${fileColumns} FROM files
    WHERE owner_id = ${user_id} AND trashed_at IS NOT NULL AND purging = 0 AND trashed_at > ${emptiedAt(user_id)}
      ${isAfter ? position : sql.empty()}
    ORDER BY trashed_at DESC, id DESC LIMIT ${sql.placeholder('limit')}`
}
