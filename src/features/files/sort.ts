import { isText, isWholeNumber } from '../../platform/db/keyset.ts'
import type { files } from '../../platform/db/schema.ts'

/** The members that a list can be sorted by. */
export const fileSorts = ['name', 'created_at', 'size_bytes'] as const
export type FileSort = (typeof fileSorts)[number]
/** The directions of a list. */
export const orders = ['asc', 'desc'] as const
export type Order = (typeof orders)[number]
/** The value of the sorted member in a cursor. */
export type SortKey = string | number

interface Sort {
  order: Order
  isKey: (key: unknown) => key is SortKey
  index: string
  blocked: { ofAll: string; ofType: string }
}

/**
 * For each sort: the default order, the check of a cursor's key, the index of the items that are not blocked, and the
 * indexes of those that are, of all types or of one. `migrations/` creates the indexes.
 */
export const sorts: Record<FileSort, Sort> = {
  name: {
    order: 'asc',
    isKey: isText,
    index: 'files_by_name',
    blocked: { ofAll: 'files_blocked_by_name', ofType: 'files_blocked_by_type_and_name' },
  },
  created_at: {
    order: 'desc',
    isKey: isWholeNumber,
    index: 'files_by_created_at',
    blocked: { ofAll: 'files_blocked_by_created_at', ofType: 'files_blocked_by_type_and_created_at' },
  },
  size_bytes: {
    order: 'desc',
    isKey: isWholeNumber,
    index: 'files_by_size_bytes',
    blocked: { ofAll: 'files_blocked_by_size_bytes', ofType: 'files_blocked_by_type_and_size_bytes' },
  },
}

/** Sorts rows in the order of the database, which ignores the case of ASCII letters in names. */
export function sorted<Row extends Pick<typeof files.$inferSelect, 'id' | FileSort>>(
  rows: Row[],
  sort: FileSort,
  order: Order,
): Row[] {
  const sign = order === 'asc' ? 1 : -1
  const keyOf = (row: Row) => (sort === 'name' ? lowerAscii(row.name) : row[sort])
  return rows.toSorted((a, b) => sign * (compare(keyOf(a), keyOf(b)) || compare(a.id, b.id)))
}

function lowerAscii(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Compares numbers by size, and text by code points, as SQLite compares UTF-8. UTF-16 would put U+10000 before U+FFFF. */
function compare(a: SortKey, b: SortKey): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b)
  const [left, right] = [[...a], [...b]]
  const at = left.findIndex((letter, index) => letter !== right[index])
  if (at === -1) return left.length - right.length
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1)
}
