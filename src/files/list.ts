import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import type { Database } from '../db/database.ts'
import { isText, isWholeNumber, type Page, type Position, pageOf, positionAt } from '../db/keyset.ts'
import { assetTypes } from '../db/schema.ts'
import { joined, keptStatements } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { type FileRow, fileColumns } from './record.ts'
import type { ListFiles } from './schema.ts'
import { isAnyBlocked, pathTo, readOwnPath, visibleTo } from './tree/walk.ts'

/** How each sort goes through its index: the column's key, its index, and its order unless told otherwise. */
const sorts = {
  name: {
    index: 'files_by_name',
    blocked: { ofAll: 'files_blocked_by_name', ofType: 'files_blocked_by_type_and_name' },
    order: 'asc',
    isKey: isText,
  },
  created_at: {
    index: 'files_by_created_at',
    blocked: { ofAll: 'files_blocked_by_created_at', ofType: 'files_blocked_inside' },
    order: 'desc',
    isKey: isWholeNumber,
  },
  size_bytes: {
    index: 'files_by_size_bytes',
    blocked: { ofAll: 'files_blocked_by_size_bytes', ofType: 'files_blocked_by_type_and_size_bytes' },
    order: 'desc',
    isKey: isWholeNumber,
  },
} as const

type Key = string | number

/**
 * One page of a folder (specification §4.1), in one trip: the folder's path decides whether the caller may see
 * it, the page comes in the same transaction, and rows read do not grow with the folder.
 *
 * @throws FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, INVALID_CURSOR
 */
export async function listFiles(ctx: RequestContext, query: ListFiles): Promise<Page<FileRow>> {
  const { db, user_id } = ctx
  const { parent_id, asset_type, sort, limit } = query
  const order = query.order ?? sorts[sort].order
  const list = ['files', parent_id, asset_type, sort, order]
  const after = query.cursor === undefined ? undefined : positionAt(query.cursor, list, isKeyOf(sort))
  const wanted = { parent_id, asset_type, sort, order, limit, user_id, after }

  const rows = parent_id === undefined ? await rowsAtRoot(db, wanted) : await rowsIn(ctx, parent_id, wanted)
  return pageOf(list, rows, limit, (last) => last[sort])
}

/**
 * A page of the root. While the job has yet to remove what an erased user had, only what is new is read, through the
 * index over times whatever the sort is: the page then costs what there is of that. What lies in a folder that has not
 * been erased has not been, either.
 */
async function rowsAtRoot(db: Database, wanted: Wanted): Promise<FileRow[]> {
  const {
    erasures: [erasure],
    ...page
  } = await db.batch({
    erasures: sql<{ until: number }>`SELECT until FROM erasures WHERE user_id = ${wanted.user_id}`,
    ...pageIn(wanted),
  })
  return merged(erasure ? await db.batch(pageIn({ ...wanted, since: erasure.until })) : page, wanted)
}

async function rowsIn(
  { db, user_id }: RequestContext,
  parent_id: string,
  wanted: Wanted,
): Promise<FileRow[]> {
  const { path, ...page } = await readOwnPath(
    db,
    user_id,
    () => db.batch({ path: pathTo(parent_id), ...pageIn(wanted) }),
    (answer) => answer.path,
  )
  const sight = visibleTo(path, user_id)
  if (!sight) throw new ApiError('FILE_PARENT_NOT_FOUND')
  if (sight.item.asset_type !== 'folder') throw new ApiError('FILE_PARENT_NOT_FOLDER')
  const all = merged(page, wanted)
  // A stranger would not have come so far.
  return isAnyBlocked(path) ? all.map((row) => ({ ...row, blocked: 1 })) : all
}

interface Wanted extends Pick<ListFiles, 'parent_id' | 'asset_type' | 'sort' | 'limit'> {
  order: 'asc' | 'desc'
  user_id: string
  after: Position<Key> | undefined
  /** Only what was made later, in Unix seconds; undefined: nothing when the user has just been erased. */
  since?: number
}

const keptPage = keptStatements<FileRow>()

/**
 * The page in two parts, each with one row more, which tells whether there is a next page: what is not blocked, as a
 * merge over the types that it may hold, each in the order of its index, so that SQLite reads one row ahead in each and
 * stops at the limit; and what is blocked of the caller's own, by an index in that order. Strangers read past none of that.
 */
function pageIn(wanted: Wanted) {
  const { parent_id, asset_type, sort, order, limit, user_id, after, since } = wanted
  const shape = [sort, order, asset_type, parent_id && 'in', after && 'after', since && 'since'].join(' ')
  const values = { user_id, parent_id, limit: limit + 1, key: after?.key, id: after?.id, since }
  return {
    shown: keptPage(`shown ${shape}`, () => shownPage(wanted), values),
    blocked: keptPage(`blocked ${shape}`, () => blockedPage(wanted), values),
  }
}

/** SQLite takes at most five SELECTs in a compound on D1: a sixth type needs a page of two statements, or other indexes. */
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

/** SQL: the caller; at the root nobody, when they have just been erased. */
function ownerAt({ parent_id, since }: Wanted): SQL {
  const user_id = sql.placeholder('user_id')
  if (parent_id !== undefined || since !== undefined) return sql`${user_id}`
  return sql`(SELECT ${user_id} WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE user_id = ${user_id}))`
}

function placeOf({ parent_id, sort, order, after, since }: Wanted): SQL {
  const place =
    parent_id === undefined ? sql`parent_id IS NULL` : sql`parent_id = ${sql.placeholder('parent_id')}`
  const young = since === undefined ? sql.empty() : sql`AND created_at > ${sql.placeholder('since')}`
  const beyond = after
    ? sql`AND (${sql.raw(sort)}, id) ${sql.raw(order === 'asc' ? '>' : '<')} (${sql.placeholder('key')}, ${sql.placeholder('id')})`
    : sql.empty()
  return sql`${place} AND trashed_at IS NULL ${young} ${beyond}`
}

function endOf({ sort, order }: Wanted): SQL {
  return sql`ORDER BY ${sql.raw(sort)} ${sql.raw(order)}, id ${sql.raw(order)} LIMIT ${sql.placeholder('limit')}`
}

/** The two parts of a page in one order, that of the database: without regard to the case of ASCII letters. */
function merged(
  { shown, blocked }: Record<'shown' | 'blocked', FileRow[]>,
  { sort, order }: Wanted,
): FileRow[] {
  if (blocked.length === 0) return shown
  const sign = order === 'asc' ? 1 : -1
  const keyOf = (row: FileRow) => (sort === 'name' ? foldedAscii(row.name) : row[sort])
  return [...shown, ...blocked].sort(
    (one, other) => sign * (compare(keyOf(one), keyOf(other)) || compare(one.id, other.id)),
  )
}

function foldedAscii(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Numbers by size, text by code points, as SQLite compares UTF-8; UTF-16 would put U+10000 before U+FFFF. */
function compare(one: Key, other: Key): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other)
  const [ones, others] = [[...one], [...other]]
  const at = ones.findIndex((letter, index) => letter !== others[index])
  if (at === -1) return ones.length - others.length
  return (ones[at]?.codePointAt(0) ?? -1) - (others[at]?.codePointAt(0) ?? -1)
}

function isKeyOf(sort: ListFiles['sort']): (key: unknown) => key is Key {
  return (key): key is Key => sorts[sort].isKey(key)
}
