import * as base64url from 'jose/base64url'
import { ApiError } from '../errors.ts'

/** The position after which a page begins: the sort key and the id of the last item of the page before. */
export interface Position<Key extends string | number> {
  key: Key
  id: string
}

/**
 * The position in a cursor; undefined without a cursor, which is the first page.
 *
 * @throws INVALID_CURSOR when the cursor is malformed or belongs to another list
 */
export function positionAt<Key extends string | number>(
  cursor: string | undefined,
  list: readonly unknown[],
  isKey: (value: unknown) => value is Key,
): Position<Key> | undefined {
  if (cursor === undefined) return undefined
  const [name, key, id] = decoded(cursor)
  if (name !== nameOf(list) || !isKey(key) || typeof id !== 'string')
    throw new ApiError('INVALID_CURSOR', {
      detail: 'Send the next_cursor of the page before, with the same parameters, or none to begin anew.',
    })
  return { key, id }
}

/** The page of a list that a client asks for. */
export interface PageRequest {
  limit: number
  /** Absent: the first page. */
  cursor?: string | undefined
}

/** A page of a list. */
export interface Page<Row> {
  rows: Row[]
  next_cursor: string | null
}

/** A page of `limit` rows. One row more than that in `rows` means that there is a next page. */
export function pageOf<Row extends { id: string }>(
  list: readonly unknown[],
  rows: Row[],
  limit: number,
  keyOf: (last: Row) => string | number,
): Page<Row> {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { rows: page, next_cursor: last ? cursorTo(list, { key: keyOf(last), id: last.id }) : null }
}

/** A page that continues at the position `next`, if there is one. It may be shorter than its limit. */
export function positionedPage<Row>(
  list: readonly unknown[],
  rows: Row[],
  next: Position<string | number> | undefined,
): Page<Row> {
  return { rows, next_cursor: next ? cursorTo(list, next) : null }
}

/**
 * An opaque cursor (docs/conformance.md#conventions). `list` names the list and all its parameters except the limit, so
 * that a cursor of another list is rejected. A cursor grants nothing: each page checks again what the caller may see.
 */
function cursorTo(list: readonly unknown[], { key, id }: Position<string | number>): string {
  return base64url.encode(JSON.stringify([nameOf(list), key, id]))
}

/** The sort key of a list in the order of ids. */
export const byId = () => ''

/** Whether the key of a cursor is a whole number: a time, a size or a version. */
export function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

/** Whether the key of a cursor is text: a name, or '' in the order of ids. */
export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function decoded(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(base64url.decode(cursor)),
    )
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function nameOf(list: readonly unknown[]): string {
  return list.map((part) => part ?? '').join(' ')
}
