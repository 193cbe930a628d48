import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { assetTypes } from '../../platform/db/enumerations.ts'
import { type Page, type Position, pageOf, positionAt } from '../../platform/db/keyset.ts'
import type { erasures } from '../../platform/db/schema.ts'
import { joined, keptStatements } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { type FileRow, fileColumns } from './record.ts'
import type { ListFiles } from './schema.ts'
import { type Order, type SortKey, sorted, sorts } from './sort.ts'
import { isOwn } from './tree/lifecycle.ts'
import { isAnyBlocked, visibleTo } from './tree/visibility.ts'
import { pathTo } from './tree/walk.ts'

/**
 * One page of a folder or of the caller's root level (docs/conformance.md#41-files), in one trip: the folder's path,
 * which decides whether the caller may see it, and the page come in one transaction. Rows read do not grow with the
 * folder.
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
 * A page of the root. While the job still has to remove what an erased user had, the page holds what is newer, read
 * through the index by time whatever the sort: it costs as much as there is of that. In a folder this is not needed,
 * because a folder that has not been erased holds nothing that has.
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

interface Wanted extends Pick<ListFiles, 'parent_id' | 'asset_type' | 'sort' | 'limit'> {
  order: Order
  user_id: string
  after: Position<SortKey> | undefined
  /** Lists only what was created later than this time, in Unix seconds. Absent: nothing at the root of an erased user. */
  since?: number
}

const keptPage = keptStatements<FileRow>()

/**
 * The statements of a page, in two parts of up to `limit` + 1 rows; the last row tells whether there is a next page.
 * `shown` is what is not blocked: a merge over the types, each in the order of its index, so that SQLite reads one row
 * ahead in each and stops at the limit. `blocked` is what is blocked of the caller's own, in the order of its index.
 * Users other than the owner so read no blocked row.
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

/** D1 takes at most five SELECTs in a compound: a sixth type needs a page of two statements, or other indexes. */
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

function blockedPage(wanted: Wanted): SQL<FileRow> {
  const { asset_type } = wanted
  const { blocked } = indexesOf(wanted)
  return sql`SELECT ${fileColumns} FROM files INDEXED BY ${sql.raw(asset_type ? blocked.ofType : blocked.ofAll)}
    WHERE owner_id = ${ownerAt(wanted)} ${asset_type ? sql`AND asset_type = ${asset_type}` : sql.empty()}
      AND blocked = 1 AND ${placeOf(wanted)} ${endOf(wanted)}`
}

function indexesOf({ sort, since }: Wanted) {
  return since === undefined ? sorts[sort] : sorts.created_at
}

/** SQL: the caller; at the root NULL while the caller's erasure is under way, so that the page is empty. */
function ownerAt({ parent_id, since }: Wanted): SQL {
  const user_id = sql.placeholder('user_id')
  if (parent_id !== undefined || since !== undefined) return sql`${user_id}`
  return sql`(SELECT ${user_id} WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE user_id = ${user_id}))`
}

function placeOf({ parent_id, sort, order, after, since }: Wanted): SQL {
  const place =
    parent_id === undefined ? sql`parent_id IS NULL` : sql`parent_id = ${sql.placeholder('parent_id')}`
  const isNewer = since === undefined ? sql.empty() : sql`AND created_at > ${sql.placeholder('since')}`
  const isAfter = after
    ? sql`AND (${sql.raw(sort)}, id) ${sql.raw(order === 'asc' ? '>' : '<')} (${sql.placeholder('key')}, ${sql.placeholder('id')})`
    : sql.empty()
  return sql`${place} AND trashed_at IS NULL ${isNewer} ${isAfter}`
}

function endOf({ sort, order }: Wanted): SQL {
  return sql`ORDER BY ${sql.raw(sort)} ${sql.raw(order)}, id ${sql.raw(order)} LIMIT ${sql.placeholder('limit')}`
}

/** The two parts of a page as one list. */
function merged(
  { shown, blocked }: { shown: FileRow[]; blocked: FileRow[] },
  { sort, order }: Wanted,
): FileRow[] {
  return blocked.length === 0 ? shown : sorted([...shown, ...blocked], sort, order)
}
