import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { assetTypes } from '../../platform/db/enumerations.ts'
import { type Page, type Position, pageOf, positionAt } from '../../platform/db/keyset.ts'
import type { erasures } from '../../platform/db/schema.ts'
import { joined, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { isAnyBlocked, isOwn, pathTo, visibleTo } from './path.ts'
import { type FileRow, fileColumns, withoutShares } from './row.ts'
import type { ListFiles } from './schema.ts'
import { type Order, type SortKey, sorted, sorts } from './sort.ts'

/**
 * Lists one page of a folder or of the caller's root level (docs/conformance.md#files), in one trip: one transaction
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

const erasureOf = statement(
  (p: Params<'user_id'>) =>
    sql<Pick<typeof erasures.$inferSelect, 'until'>>`SELECT until FROM erasures WHERE user_id = ${p.user_id}`,
)

/**
 * A page of the root. While the caller's erasure is under way, the page holds only items that are newer than it, read by
 * the index of `created_at` whatever the sort: the cost grows with the number of newer items. A page of a folder needs no
 * such condition, because a folder that is not erased holds no erased item.
 */
async function rowsAtRoot(db: Database, wanted: Wanted): Promise<FileRow[]> {
  const {
    erasures: [erasure],
    ...page
  } = await db.read({ erasures: erasureOf({ user_id: wanted.user_id }), ...pageIn(wanted) })
  return merged(erasure ? await db.read(pageIn({ ...wanted, since: erasure.until })) : page, wanted)
}

async function rowsIn(db: Database, parent_id: string, wanted: Wanted): Promise<FileRow[]> {
  const { path, ...page } = await db.readOwnFromReplica(
    () => db.read({ path: pathTo({ id: parent_id }), ...pageIn(wanted) }),
    (answer) => isOwn(answer.path, wanted.user_id),
  )
  const visible = visibleTo(path, wanted.user_id)
  if (!visible) throw new ApiError('FILE_PARENT_NOT_FOUND')
  if (visible.item.asset_type !== 'folder') throw new ApiError('FILE_PARENT_NOT_FOLDER')
  const rows = merged(page, wanted)
  if (visible.item.owner_id !== wanted.user_id) return rows.map(withoutShares)
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

/** The shape of a page's SQL. */
interface Shape extends Pick<Wanted, 'asset_type' | 'sort' | 'order'> {
  atRoot: boolean
  isFirst: boolean
  onlyNewer: boolean
}

type PageParams = Params<'user_id' | 'parent_id' | 'limit' | 'key' | 'id' | 'since'>

/**
 * The two statements of a page, each of up to `limit` + 1 rows: the last row shows that there is a next page. `shown`
 * selects the items that are not blocked, as a merge over the types, each in the order of its index: SQLite reads one row
 * ahead in each and stops at the limit. `blocked` selects the caller's own blocked items in the order of their index, so
 * that other users read no blocked row.
 */
function pageIn({ parent_id, asset_type, sort, order, limit, user_id, after, since }: Wanted) {
  const place = {
    atRoot: parent_id === undefined,
    isFirst: after === undefined,
    onlyNewer: since !== undefined,
  }
  const { shown, blocked } = pageOfShape({ sort, order, asset_type, ...place })
  const { key, id } = after ?? { key: null, id: null }
  const values = { user_id, parent_id: parent_id ?? null, limit: limit + 1, key, id, since: since ?? null }
  return { shown: shown(values), blocked: blocked(values) }
}

const pageOfShape = perShape((shape: Shape) => ({
  shown: statement((p: PageParams) => shownPage(shape, p)),
  blocked: statement((p: PageParams) => blockedPage(shape, p)),
}))

/** The statement of `shown`. D1 allows five SELECTs in a compound: a sixth type needs two statements, or other indexes. */
function shownPage(shape: Shape, p: PageParams): SQL<FileRow> {
  const { index } = indexesOf(shape)
  const owner = shape.atRoot ? ownerAt(shape, p) : sql`(SELECT owner_id FROM files WHERE id = ${p.parent_id})`
  const ofType = (type: string) =>
    sql`SELECT ${fileColumns} FROM files INDEXED BY ${sql.raw(index)}
      WHERE owner_id = ${owner} AND asset_type = ${type} AND blocked = 0 AND ${placeOf(shape, p)}`
  const types = shape.asset_type ? [shape.asset_type] : assetTypes
  return sql`${joined(types.map(ofType), ' UNION ALL ')} ${endOf(shape, p)}`
}

/** The statement of `blocked`. */
function blockedPage(shape: Shape, p: PageParams): SQL<FileRow> {
  const { asset_type } = shape
  const { blocked } = indexesOf(shape)
  return sql`SELECT ${fileColumns} FROM files INDEXED BY ${sql.raw(asset_type ? blocked.ofType : blocked.ofAll)}
    WHERE owner_id = ${ownerAt(shape, p)} ${asset_type ? sql`AND asset_type = ${asset_type}` : sql.empty()}
      AND blocked = 1 AND ${placeOf(shape, p)} ${endOf(shape, p)}`
}

/** The indexes that a page reads. Items created after `since` are read by `created_at`, whatever the sort. */
function indexesOf({ sort, onlyNewer }: Shape) {
  return onlyNewer ? sorts.created_at : sorts[sort]
}

/** SQL: the caller's id. At the root, NULL while the caller's erasure is under way, so that the page is empty. */
function ownerAt({ atRoot, onlyNewer }: Shape, { user_id }: PageParams): SQL {
  if (!atRoot || onlyNewer) return user_id
  return sql`(SELECT ${user_id} WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE user_id = ${user_id}))`
}

/** SQL: the conditions of a page on the folder, deletion, age and position of its items. */
function placeOf({ atRoot, isFirst, onlyNewer, sort, order }: Shape, p: PageParams): SQL {
  const place = atRoot ? sql`parent_id IS NULL` : sql`parent_id = ${p.parent_id}`
  const isNewer = onlyNewer ? sql`AND created_at > ${p.since}` : sql.empty()
  const isAfter = isFirst
    ? sql.empty()
    : sql`AND (${sql.raw(sort)}, id) ${sql.raw(order === 'asc' ? '>' : '<')} (${p.key}, ${p.id})`
  return sql`${place} AND trashed_at IS NULL ${isNewer} ${isAfter}`
}

/** SQL: the ORDER BY and the LIMIT of a page. */
function endOf({ sort, order }: Shape, { limit }: PageParams): SQL {
  return sql`ORDER BY ${sql.raw(sort)} ${sql.raw(order)}, id ${sql.raw(order)} LIMIT ${limit}`
}

/** The rows of both statements of a page, in its order. */
function merged(
  { shown, blocked }: { shown: FileRow[]; blocked: FileRow[] },
  { sort, order }: Wanted,
): FileRow[] {
  return blocked.length === 0 ? shown : sorted([...shown, ...blocked], sort, order)
}
