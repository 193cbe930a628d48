import sql, { join, raw, type Sql } from 'sql-template-tag'
import { ApiError } from '../errors.ts'
import { isText, isWholeNumber, type Page, type Position, pageOf, positionAt } from '../http/cursor.ts'
import type { Work } from '../work.ts'
import { pathTo, readOwnPath, sightOf } from './path.ts'
import { type FileRow, fileColumns } from './record.ts'
import { assetTypes, type ListFiles } from './schema.ts'

/** How each sort goes through its index: the column's key, its index, and its order unless told otherwise. */
const sorts = {
  name: { index: 'files_by_name', order: 'asc', isKey: isText },
  created_at: { index: 'files_by_created_at', order: 'desc', isKey: isWholeNumber },
  size_bytes: { index: 'files_by_size_bytes', order: 'desc', isKey: isWholeNumber },
} as const

type Key = string | number

/**
 * One page of a folder (specification §4.1), in one trip: the folder's path decides whether the caller may see
 * it, the page comes in the same transaction, and rows read do not grow with the folder.
 *
 * @throws FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, INVALID_CURSOR
 */
export async function listFiles(work: Work, query: ListFiles): Promise<Page<FileRow>> {
  const { db, user_id } = work
  const { parent_id, asset_type, sort, limit } = query
  const order = query.order ?? sorts[sort].order
  const list = ['files', parent_id, asset_type, sort, order]
  const after = query.cursor === undefined ? undefined : positionAt(query.cursor, list, isKeyOf(sort))
  const page = pageIn({ parent_id, asset_type, sort, order, limit, user_id, after })

  const rows = parent_id === undefined ? await db.all<FileRow>(page) : await rowsIn(work, parent_id, page)
  return pageOf(list, rows, limit, (last) => last[sort])
}

async function rowsIn({ db, user_id }: Work, parent_id: string, page: Sql): Promise<FileRow[]> {
  const [path, rows] = await readOwnPath(
    db,
    user_id,
    () => db.batch<[FileRow, FileRow]>([pathTo(parent_id), page]),
    ([path]) => path,
  )
  const sight = sightOf(path, user_id)
  if (!sight) throw new ApiError('FILE_PARENT_NOT_FOUND')
  if (sight.item.asset_type !== 'folder') throw new ApiError('FILE_PARENT_NOT_FOLDER')
  return rows
}

interface Wanted extends Pick<ListFiles, 'parent_id' | 'asset_type' | 'sort' | 'limit'> {
  order: 'asc' | 'desc'
  user_id: string
  after: Position<Key> | undefined
}

/**
 * The page as a merge over the types that it may hold, each in the order of its index, so that SQLite reads one
 * row ahead in each and stops at the limit. The one row more tells whether there is a next page.
 */
function pageIn({ parent_id, asset_type, sort, order, limit, user_id, after }: Wanted): Sql {
  const key = raw(sort)
  const owner =
    parent_id === undefined ? sql`${user_id}` : sql`(SELECT owner_id FROM files WHERE id = ${parent_id})`
  const place = parent_id === undefined ? sql`parent_id IS NULL` : sql`parent_id = ${parent_id}`
  const beyond = after
    ? sql`AND (${key}, id) ${raw(order === 'asc' ? '>' : '<')} (${after.key}, ${after.id})`
    : raw('')
  const ofType = (type: string) =>
    sql`SELECT ${fileColumns} FROM files INDEXED BY ${raw(sorts[sort].index)}
      WHERE owner_id = ${owner} AND ${place} AND asset_type = ${type} AND trashed_at IS NULL
        AND (blocked = 0 OR owner_id = ${user_id}) ${beyond}`
  const types = asset_type ? [asset_type] : assetTypes
  return sql`${join(types.map(ofType), ' UNION ALL ')}
    ORDER BY ${key} ${raw(order)}, id ${raw(order)} LIMIT ${limit + 1}`
}

function isKeyOf(sort: ListFiles['sort']): (key: unknown) => key is Key {
  return (key): key is Key => sorts[sort].isKey(key)
}
