import { type SQL, sql } from 'drizzle-orm'
import { ApiError } from '../../../platform/errors.ts'
import type { FileRow } from '../row.ts'
import { isOwn } from './lifecycle.ts'

/** The revisions of an item that a write may start from; null: any. */
export type ExpectedRevisions = number[] | null

/** SQL: whether a row of `files` is at an expected revision: one of a list, or of a JSON list in SQL. */
export function revisionIn(expected: ExpectedRevisions | SQL): SQL {
  if (expected === null) return sql`1`
  const list = Array.isArray(expected) ? JSON.stringify(expected) : expected
  return sql`revision IN (SELECT value FROM json_each(${list}))`
}

/** Why the user may not write to the item at the start of `path`: FILE_NOT_FOUND or PRECONDITION_FAILED. */
export function writeError(
  path: FileRow[],
  user_id: string,
  expected: ExpectedRevisions,
): ApiError | undefined {
  const [item] = path
  if (!item || !isOwn(path, user_id)) return new ApiError('FILE_NOT_FOUND')
  if (expected && !expected.includes(item.revision))
    return new ApiError('PRECONDITION_FAILED', { detail: 'Read the item again and decide anew.' })
  return undefined
}
