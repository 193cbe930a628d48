import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { assetTypes } from '../../platform/db/enumerations.ts'
import { type Page, type Position, pageOf, positionAt } from '../../platform/db/keyset.ts'
import type { erasures } from '../../platform/db/schema.ts'
import { joined, keptStatements } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { type FileRow, fileColumns } from './row.ts'
import type { ListFiles } from './schema.ts'
import { type Order, type SortKey, sorted, sorts } from './sort.ts'
import { isOwn } from './tree/lifecycle.ts'
import { isAnyBlocked, visibleTo } from './tree/visibility.ts'
import { pathTo } from './tree/walk.ts'

/**
 * Lists one page of a folder or of the caller's root level (docs/conformance.md#41-files), in one trip: one transaction
 * reads the page and the folder's path, which decides whether the caller may see the folder. The number of rows read does
 * not grow with the folder.
 *
 * @throws FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, INVALID_CURSOR
 */
export async function listFiles(ctx: RequestContext, query: ListFiles): Promise<Page<FileRow>> {
  const { parent_id, asset_type, sort, limit, cursor } = query
  const order = query.order ?? sorts[sort].order
  const list = ['files', parent_id, asset_type, sort, order]
  const after = positionAt(cursor, list, sorts[sort].isKey)
  const wanted = { parent_id, asset_type, sort, order, limit, user_id: ctx.user_id, after }
  const rows =
    parent_id === undefined
      ? await rowsAtRoot(ctx.db, wanted)
      : await rowsIn(ctx.databases.of(parent_id), parent_id, wanted)
  return pageOf(list, rows, limit, (last) => last[sort])
}

/**
 * A page of the root. While the caller's erasure is under way, the page holds only items that are newer than it, read by
 * the index of `created_at` whatever the sort: the cost grows with the number of newer items. A page of a folder needs no
 * such condition, because a folder that is not erased holds no erased item.
 */
async function rowsAtRoot(db: Database, wanted: Wanted): Promise<FileRow[]> {
  const {
    erasures: [erasure],
    ...page
  } = await db.read({
    erasures: sql<
      Pick<typeof erasures.$inferSelect, 'until'>
    >`SELECT until FROM erasures WHERE user_id = ${wanted.user_id}`,
    ...pageIn(wanted),
  })
  return merged(erasure ? await db.read(pageIn({ ...wanted, since: erasure.until })) : page, wanted)
}

async function rowsIn(db: Database, parent_id: string, wanted: Wanted): Promise<FileRow[]> {
  const { path, ...page } = await db.readOwnFromReplica(
    () => db.read({ path: pathTo(parent_id), ...pageIn(wanted) }),
    (answer) => isOwn(answer.path, wanted.user_id),
  )
  const visible = visibleTo(path, wanted.user_id)
  if (!visible) throw new ApiError('FILE_PARENT_NOT_FOUND')
  if (visible.item.asset_type !== 'folder') throw new ApiError('FILE_PARENT_NOT_FOLDER')
  const rows = merged(page, wanted)
  // Only the owner can list a folder that is blocked.
  return isAnyBlocked(path) ? rows.map((row) => ({ ...row, blocked: 1 })) : rows
}

/** The page to read. */
interface Wanted extends Pick<ListFiles, 'parent_id' | 'asset_type' | 'sort' | 'limit'> {
  order: Order
  user_id: string
  after: Position<SortKey> | undefined
  /**
   * Lists only items created after this time, in Unix seconds. When absent, the root of a user who is being erased is
   * empty.
   */
  since?: number
}

const keptPage = keptStatements<FileRow>()

/**
 * The two statements of a page, each of up to `limit` + 1 rows: the last row shows that there is a next page. `shown`
 * selects the items that are not blocked, as a merge over the types, each in the order of its index: SQLite reads one row
 * ahead in each and stops at the limit. `blocked` selects the caller's own blocked items in the order of their index, so
 * that other users read no blocked row.
 */
function pageIn(wanted: Wanted) {
  const { parent_id, asset_type, sort, order, limit, user_id, after, since } = wanted
  const shape = [sort, order, asset_type].join(' ')
  const values = { user_id, parent_id, limit: limit + 1, key: after?.key, id: after?.id, since }
  return {
    shown: keptPage(`shown ${shape}`, () => shownPage(wanted), values),
    blocked: keptPage(`blocked ${shape}`, () => blockedPage(wanted), values),
  }
}

/** The statement of `shown`. D1 allows five SELECTs in a compound: a sixth type needs two statements, or other indexes. */
function shownPage(wanted: Wanted): SQL<FileRow> {
  const { index } = indexesOf(wanted)
  const owner =
    wanted.parent_id === undefined
      ? ownerAt(wanted)
      : sql`(SELECT owner_id FROM files WHERE id = ${sql.placeholder('parent_id')})`
  const ofType = (type: string) =>
    sql`SELECT ${fileColumns} FROM files INDEXED BY ${sql.raw(index)}
      WHERE owner_id = ${owner} AND asset_type = ${type} AND blocked = 0 AND ${placeOf(wanted)}`
  const types = wanted.asset_type ? [wanted.asset_type] : assetTypes
  return sql`${joined(types.map(ofType), ' UNION ALL ')} ${endOf(wanted)}`
}

/** The statement of `blocked`. */
function blockedPage(wanted: Wanted): SQL<FileRow> {
  const { asset_type } = wanted
  const { blocked } = indexesOf(wanted)
  return sql`SELECT ${fileColumns} FROM files INDEXED BY ${sql.raw(asset_type ? blocked.ofType : blocked.ofAll)}
    WHERE owner_id = ${ownerAt(wanted)} ${asset_type ? sql`AND asset_type = ${asset_type}` : sql.empty()}
      AND blocked = 1 AND ${placeOf(wanted)} ${endOf(wanted)}`
}

/** The indexes that a page reads. Items created after `since` are read by `created_at`, whatever the sort. */
function indexesOf({ sort, since }: Wanted) {
  return since === undefined ? sorts[sort] : sorts.created_at
}

/** SQL: the caller's id. At the root, NULL while the caller's erasure is under way, so that the page is empty. */
function ownerAt({ parent_id, since }: Wanted): SQL {
  const user_id = sql.placeholder('user_id')
  if (parent_id !== undefined || since !== undefined) return sql`${user_id}`
  return sql`(SELECT ${user_id} WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE user_id = ${user_id}))`
}

/** SQL: the conditions of a page on the folder, deletion, age and position of its items. */
function placeOf({ parent_id, sort, order, after, since }: Wanted): SQL {
  const place =
    parent_id === undefined ? sql`parent_id IS NULL` : sql`parent_id = ${sql.placeholder('parent_id')}`
  const isNewer = since === undefined ? sql.empty() : sql`AND created_at > ${sql.placeholder('since')}`
  const isAfter = after
    ? sql`AND (${sql.raw(sort)}, id) ${sql.raw(order === 'asc' ? '>' : '<')} (${sql.placeholder('key')}, ${sql.placeholder('id')})`
    : sql.empty()
  return sql`${place} AND trashed_at IS NULL ${isNewer} ${isAfter}`
}

/** SQL: the ORDER BY and the LIMIT of a page. */
function endOf({ sort, order }: Wanted): SQL {
  return sql`ORDER BY ${sql.raw(sort)} ${sql.raw(order)}, id ${sql.raw(order)} LIMIT ${sql.placeholder('limit')}`
}

/** The rows of both statements of a page, in its order. */
function merged(
  { shown, blocked }: { shown: FileRow[]; blocked: FileRow[] },
  { sort, order }: Wanted,
): FileRow[] {
  return blocked.length === 0 ? shown : sorted([...shown, ...blocked], sort, order)
}
