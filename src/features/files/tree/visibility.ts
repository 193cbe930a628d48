import { type SQL, sql } from 'drizzle-orm'
import { erasedUntil } from '../../../platform/db/marks.ts'
import { columnsOf } from '../../../platform/db/sql.ts'
import { type FileRow, itemColumns } from '../row.ts'
import { lifecycleOf } from './lifecycle.ts'
import { emptiedAt, fromItem, walkUp } from './walk.ts'

/** An item as a user may see it, and the folders above it from the topmost down. */
export interface VisibleItem {
  item: FileRow
  ancestors: FileRow[]
}

/**
 * The item at the start of `path` as `user_id` sees it; undefined when the item does not exist for this user. The owner
 * sees every live item. Others see an item that is public or lies in a public folder: from the topmost public item down,
 * nothing above it, and nothing that is blocked.
 */
export function visibleTo(path: FileRow[], user_id: string): VisibleItem | undefined {
  const [item] = path
  if (!item || lifecycleOf(path) !== 'live') return undefined
  if (item.owner_id === user_id)
    return { item: { ...item, blocked: isAnyBlocked(path) ? 1 : 0 }, ancestors: path.slice(1).reverse() }
  if (isAnyBlocked(path)) return undefined
  const top = path.findLastIndex((row) => row.is_public === 1)
  const [visible, ...above] = path
    .slice(0, top + 1)
    .map((row, index) => (index === top ? { ...row, parent_id: null } : row))
  return visible && { item: visible, ancestors: above.reverse() }
}

/** Whether the item at the start of `path`, or a folder above it, is blocked. */
export function isAnyBlocked(path: FileRow[]): boolean {
  return path.some((row) => row.blocked === 1)
}

/** SQL: 1 when the item or a folder above it is blocked, else 0; NULL for an unknown item. */
export function isBlocked(id: string | SQL): SQL {
  return sql`(${walkUp(fromItem(id), { columns: { blocked: itemColumns.blocked }, continues: sql`walk.blocked = 0` })}
    SELECT max(blocked) FROM walk)`
}

const { blocked, ...others } = itemColumns

/**
 * SQL: the columns of a FileRow as its owner sees it: an item below a blocked folder is `blocked` too. The statement's
 * table is `files`; RETURNING accepts these columns as well. They cost one row when the owner has no blocked item, else a
 * walk.
 */
export const shownColumns = sql`${columnsOf(others)}, iif(blocked = 1, 1, iif(
    EXISTS (SELECT 1 FROM files AS any_file INDEXED BY files_blocked WHERE any_file.owner_id = files.owner_id AND any_file.blocked = 1),
    coalesce(${isBlocked(sql`files.parent_id`)}, 0), 0)) AS blocked`

/**
 * SQL: of `item`, a row of `files` in the enclosing statement: 1 when it is in the trash, 0 when it is live, and NULL when
 * users that it is shared with may not see it, because it or a folder above it is blocked, or it is gone.
 */
export const isTrashedForGrantee = sql`(${walkUp(sql.empty(), {
  columns: { created_at: itemColumns.created_at },
  carried: {
    trashed_at: { atItem: sql`item.trashed_at`, atFolder: sql`coalesce(walk.trashed_at, above.trashed_at)` },
    purging: {
      atItem: sql`item.purging`,
      atFolder: sql`iif(walk.trashed_at IS NULL, above.purging, walk.purging)`,
    },
    any_blocked: { atItem: sql`item.blocked`, atFolder: sql`walk.any_blocked OR above.blocked` },
  },
})}
  SELECT iif(any_blocked OR purging OR iif(trashed_at IS NULL,
      parent_id IS NOT NULL OR created_at <= ${erasedUntil(sql`item.owner_id`)},
      trashed_at <= ${emptiedAt(sql`item.owner_id`)}
    ), NULL, trashed_at IS NOT NULL)
  FROM walk ORDER BY level DESC LIMIT 1)`
