import { type SQL, sql } from 'drizzle-orm'
import type { Move, MovePosition } from './moves.ts'
import { isLast, MOST_ROWS, type PortableRow, pageOf } from './rows.ts'
import { type Portable, tablesOfPartitions, tablesOfUsers } from './tables.ts'

/** The most users of a group. */
const MOST_USERS = 500

/** Users whose rows are copied, compared or removed together. */
export interface Group {
  /** A JSON array of their ids. */
  users: string
  /** The last of them; null when no users are left. */
  last: string | null
}

/**
 * Returns the group after a user: users with MOST_ROWS rows together at most, and at least one. Their number of rows is an
 * estimate, so a step may have fewer or more.
 */
export async function groupAfter({ target }: Move, after: string): Promise<Group> {
  const [rows] = await target.session.send([
    sql<{ user_id: string }>`SELECT user_id FROM (
        SELECT user_id, size, sum(size) OVER (ORDER BY user_id) AS total FROM (
          SELECT user_id, size FROM moving_users WHERE user_id > ${after} ORDER BY user_id LIMIT ${MOST_USERS}
        )
      ) WHERE total <= ${MOST_ROWS} OR total = size ORDER BY user_id`,
  ])
  const users = rows.map(({ user_id }) => user_id)
  return { users: JSON.stringify(users), last: users.at(-1) ?? null }
}

/** The position at the tables of the partitions, when the group at `position` is empty; undefined otherwise. */
export function afterUsers(position: MovePosition, { last }: Group): MovePosition | undefined {
  return last === null && position.after !== null
    ? { ...position, after: null, table: 0, key: '' }
    : undefined
}

/** Whether these pages, which `upToFirstCut` returned with `next`, are the last ones of a stage. */
export function isAtEnd(position: MovePosition, pages: readonly unknown[], next: MovePosition): boolean {
  return position.after === null && pages.length === tablesAt(position).length && next.table === 0
}

/** The remaining tables at a position: those of a group of users, or those of the partitions. */
export function tablesAt({ after, table }: MovePosition): Portable[] {
  return (after === null ? tablesOfPartitions : tablesOfUsers).slice(table)
}

/** The statements that read the next page of each of these tables: of the first table after `key`, of the others the first page. */
export function pagesOf(tables: readonly Portable[], users: string, key: string): SQL<PortableRow>[] {
  return tables.map((table, index) => pageOf(table, users, index === 0 ? key : ''))
}

/**
 * The pages up to the first one that is not its table's last, and the position after them. Rows of a table refer to rows of
 * the tables before it, so those tables are completed first.
 */
export function upToFirstCut(
  position: MovePosition,
  group: Group,
  pages: PortableRow[][],
): { pages: PortableRow[][]; next: MovePosition } {
  const cut = pages.findIndex((page) => !isLast(page))
  if (cut >= 0) {
    const table = position.table + cut
    return {
      pages: pages.slice(0, cut + 1),
      next: { ...position, table, key: pages[cut]?.at(-1)?.key ?? '' },
    }
  }
  return { pages, next: { ...position, after: group.last, table: 0, key: '' } }
}
