import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isWholeNumber, type Page, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { type Params, perShape, statement } from '../../platform/db/sql.ts'
import { emptiedAt } from '../files/path.ts'
import { type FileRow, fileColumns } from '../files/row.ts'
import type { ListTrash } from './schema.ts'

const LIST = ['trash']

interface TrashedRow extends FileRow {
  trashed_at: number
}

const pageOfTrash = perShape((isFirst: boolean) =>
  statement(
    (p: Params<'user_id' | 'key' | 'id' | 'limit'>) => sql<TrashedRow>`SELECT ${fileColumns} FROM files
    WHERE owner_id = ${p.user_id} AND trashed_at IS NOT NULL AND purging = 0 AND trashed_at > ${emptiedAt(p.user_id)}
      ${isFirst ? sql.empty() : sql`AND (trashed_at, id) < (${p.key}, ${p.id})`}
    ORDER BY trashed_at DESC, id DESC LIMIT ${p.limit}`,
  ),
)

/** A page of the items that the caller deleted directly, latest deletion first. @throws INVALID_CURSOR */
export async function listTrash(
  { db, user_id }: RequestContext,
  { limit, cursor }: ListTrash,
): Promise<Page<FileRow>> {
  const after = positionAt(cursor, LIST, isWholeNumber)
  const { key, id } = after ?? { key: null, id: null }
  const rows = await db.read(pageOfTrash(after === undefined)({ user_id, key, id, limit: limit + 1 }))
  return pageOf(LIST, rows, limit, (last) => last.trashed_at)
}
