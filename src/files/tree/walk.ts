import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { emptiedAt, erasedUntil } from '../../db/marks.ts'
import { columnsOf } from '../../db/sql.ts'
import { type FileRow, itemColumns } from '../record.ts'

/*
 * Each fragment here names its own table `item`: a plain column name binds to the innermost table that has it, so that
 * an `id` of `files.id` would compare each row with itself.
 */

const { purging, ...others } = itemColumns
const { blocked, ...unblocked } = itemColumns

/** Ends a walk that would never end, should a cycle ever get into the tree; no path is as long. */
const LONGEST_WALK = 2_000

/**
 * The walk from an item up to the root, as one statement: the item first, then each folder above it. Every
 * question about an item is answered from these rows (architecture, "The path is the heart"). Two rows read a
 * level.
 */
export function pathTo(id: string | SQL): SQL<FileRow> {
  return sql`WITH RECURSIVE path AS (
      SELECT ${columnsOf(itemColumns, 'item')}, 1 AS level
      FROM files AS item WHERE item.id = ${id}
      UNION ALL
      SELECT ${columnsOf(itemColumns, 'above')}, path.level + 1
      FROM path JOIN files AS above ON above.id = path.parent_id
      WHERE path.level < ${LONGEST_WALK}
    )
    SELECT ${columnsOf(others)}, ${isPurging(sql`path`)} AS purging
    FROM path WHERE created_at > ${erasedUntil(sql`path.owner_id`)}`
}

/** SQL: 1 when a row is being deleted for good: marked itself, or in a trash that has been emptied since. */
function isPurging(row: SQL): SQL {
  return sql`iif(${row}.trashed_at IS NULL, 0, max(${row}.purging, ${row}.trashed_at <= ${emptiedAt(sql`${row}.owner_id`)}))`
}

/** What somebody may know of an item: the item, and the folders above it from the topmost down. */
export interface VisibleItem {
  item: FileRow
  ancestors: FileRow[]
}

/**
 * What `user_id` sees of the item at the foot of `path`. Its owner sees everything that is live; anyone else
 * what is public or lies in a public folder, from the topmost public item down and nothing above it. Undefined
 * when for this user the item does not exist: unknown, in the trash, private, or blocked.
 */
export function visibleTo(path: FileRow[], user_id: string): VisibleItem | undefined {
  const [item] = path
  if (!item || lifecycleOf(path) !== 'live') return undefined
  if (item.owner_id === user_id)
    return { item: { ...item, blocked: isAnyBlocked(path) ? 1 : 0 }, ancestors: path.slice(1).reverse() }
  const top = path.findLastIndex((above) => above.is_public === 1)
  if (isAnyBlocked(path)) return undefined
  const [shown, ...above] = path
    .slice(0, top + 1)
    .map((row, level) => (level === top ? withoutParent(row) : row))
  return shown && { item: shown, ancestors: above.reverse() }
}

/** Whether the path's item, or a folder above it, has been blocked. */
export function isAnyBlocked(path: FileRow[]): boolean {
  return path.some(({ blocked }) => blocked === 1)
}

/**
 * Where an item stands: `trashed` when it or a folder above it was deleted, and the nearest of these decides:
 * what was deleted before the folder around it keeps its own place. `gone` when that is being purged, or when
 * there is no such item.
 */
export function lifecycleOf(path: FileRow[]): 'live' | 'trashed' | 'gone' {
  const deleted = path.find((row) => row.trashed_at !== null)
  if (deleted) return deleted.purging ? 'gone' : 'trashed'
  return path.at(-1)?.parent_id === null ? 'live' : 'gone'
}

/** Whether the path's item is live and belongs to the user. */
export function isOwn(path: FileRow[], user_id: string): boolean {
  return path[0]?.owner_id === user_id && lifecycleOf(path) === 'live'
}

/** The path of an item, from the nearest copy of the database if it is the caller's own. */
export function readPath({ db, user_id }: RequestContext, id: string): Promise<FileRow[]> {
  return readOwnPath(
    db,
    user_id,
    () => db.all<FileRow>(pathTo(id)),
    (path) => path,
  )
}

/** As `readPath`, for an answer that holds a path among other things. */
export function readOwnPath<Answer>(
  db: Database,
  user_id: string,
  read: () => Promise<Answer>,
  pathOf: (answer: Answer) => FileRow[],
): Promise<Answer> {
  return db.readOwnNear(read, (answer) => isOwn(pathOf(answer), user_id))
}

function withoutParent(row: FileRow): FileRow {
  return { ...row, parent_id: null }
}

/** SQL: whether the item is the owner's and live. The walk goes on only through what is not in the trash. */
export function isLive(id: string | SQL, owner_id: string): SQL {
  return sql`(${levelOf(id, owner_id)}) IS NOT NULL`
}

/**
 * SQL: a SELECT of one row about the place of an item, and of none when it is not the owner's or not live: the length
 * of its path, its type, and the nearest blocked folder above it, if there is one. Two rows read a level.
 */
export function liveAncestry(id: string, owner_id: string): SQL {
  return sql`WITH RECURSIVE walk (parent_id, created_at, asset_type, blocked_above, level) AS (
      SELECT item.parent_id, item.created_at, item.asset_type, NULL, 1 FROM files AS item
      WHERE item.id = ${id} AND item.owner_id = ${owner_id} AND item.trashed_at IS NULL
      UNION ALL
      SELECT above.parent_id, above.created_at, walk.asset_type,
        coalesce(walk.blocked_above, iif(above.blocked, above.id, NULL)), walk.level + 1
      FROM walk JOIN files AS above ON above.id = walk.parent_id
      WHERE above.trashed_at IS NULL AND walk.level < ${LONGEST_WALK}
    )
    SELECT walk.level, walk.asset_type, walk.blocked_above FROM walk
    WHERE walk.parent_id IS NULL AND walk.created_at > ${erasedUntil(owner_id)} LIMIT 1`
}

/** SQL: whether the item is the owner's and in the trash. As `standing` decides, from the nearest mark upwards. */
export function isTrashed(id: string, owner_id: string): SQL {
  return sql`(${upToDeletion(id, sql`AND item.owner_id = ${owner_id}`)}
    SELECT ${isPurging(sql`walk`)} FROM walk WHERE trashed_at IS NOT NULL) = 0`
}

/** SQL: whether a row of `files` that lies at a root level is gone. */
export function isGoneAtRoot(row: SQL): SQL {
  return sql`max(${isPurging(row)}, ${row}.created_at <= ${erasedUntil(sql`${row}.owner_id`)})`
}

/** SQL: whether the item is there at all: live or in the trash, and not being purged, itself or from above. */
export function exists(id: SQL): SQL {
  return sql`(${upToDeletion(id)} SELECT ${isAnyGone} FROM walk) = 0`
}

/** SQL: whether the item is not being purged, itself or from above. Of one that is not there at all that is true. */
export function isNotPurging(id: SQL): SQL {
  return sql`(${upToDeletion(id)} SELECT ${isAnyGone} FROM walk) IS NOT 1`
}

/**
 * SQL: whether the item, or a folder above it, has been blocked. What leaves a blocked folder takes the block along,
 * so that this is no way around a moderator.
 */
export function isBlockedInPlace(id: string | SQL): SQL {
  return sql`(WITH RECURSIVE walk (parent_id, blocked, level) AS (
      SELECT item.parent_id, item.blocked, 1 FROM files AS item WHERE item.id = ${id}
      UNION ALL
      SELECT above.parent_id, above.blocked, walk.level + 1 FROM walk JOIN files AS above ON above.id = walk.parent_id
      WHERE walk.blocked = 0 AND walk.level < ${LONGEST_WALK}
    )
    SELECT max(blocked) FROM walk)`
}

/** SQL: whether anything on such a walk is being purged, or has been erased with its owner. */
const isAnyGone = sql`max(max(${isPurging(sql`walk`)}, walk.created_at <= ${erasedUntil(sql`walk.owner_id`)}))`

/**
 * SQL: the columns of a FileRow as its owner sees it: blocked also when a folder above it is. For a statement whose table
 * is `files`, RETURNING too. Who has nothing blocked pays one row at most; others a walk, of two rows a level.
 */
export const shownColumns = sql`${columnsOf(unblocked)}, iif(blocked = 1, 1, iif(
    EXISTS (SELECT 1 FROM files AS any_file INDEXED BY files_blocked WHERE any_file.owner_id = files.owner_id AND any_file.blocked = 1),
    coalesce(${isBlockedInPlace(sql`files.parent_id`)}, 0), 0)) AS blocked`

/** SQL: the walk from an item up to the nearest deletion, or to the root; whoever selects from it decides. */
function upToDeletion(id: string | SQL, start: SQL = sql.empty()): SQL {
  return sql`WITH RECURSIVE walk (parent_id, owner_id, created_at, trashed_at, purging) AS (
      SELECT item.parent_id, item.owner_id, item.created_at, item.trashed_at, item.purging FROM files AS item WHERE item.id = ${id} ${start}
      UNION ALL
      SELECT above.parent_id, above.owner_id, above.created_at, above.trashed_at, above.purging
      FROM walk JOIN files AS above ON above.id = walk.parent_id WHERE walk.trashed_at IS NULL
    )`
}

/**
 * SQL: how many folders lie above what is put into the folder, itself included; null when it is not a live
 * folder of the owner's, or when `outside` is met on the way up, which is how a move would close a cycle.
 */
export function folderLevel(id: string | SQL, owner_id: string, outside?: string): SQL {
  return levelOf(id, owner_id, sql`AND item.asset_type = 'folder'`, outside)
}

function levelOf(id: string | SQL, owner_id: string, start: SQL = sql.empty(), outside?: string): SQL {
  const notThere = (column: SQL) => (outside === undefined ? sql.empty() : sql`AND ${column} <> ${outside}`)
  return sql`WITH RECURSIVE walk (parent_id, created_at, level) AS (
      SELECT item.parent_id, item.created_at, 1 FROM files AS item
      WHERE item.id = ${id} AND item.owner_id = ${owner_id} AND item.trashed_at IS NULL ${start} ${notThere(sql`item.id`)}
      UNION ALL
      SELECT above.parent_id, above.created_at, walk.level + 1 FROM walk JOIN files AS above ON above.id = walk.parent_id
      WHERE above.trashed_at IS NULL AND walk.level < ${LONGEST_WALK} ${notThere(sql`above.id`)}
    )
    SELECT level FROM walk WHERE parent_id IS NULL AND created_at > ${erasedUntil(owner_id)}`
}
