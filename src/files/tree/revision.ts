import { type SQL, sql } from 'drizzle-orm'
import { ApiError } from '../../errors.ts'
import type { FileRow } from '../record.ts'
import { isOwn } from './lifecycle.ts'

/** The revisions of an item that a write may start from; null: any. */
export type ExpectedRevisions = number[] | null

/** SQL: whether a row of `files` is at an expected revision. */
export function revisionIn(expected: ExpectedRevisions): SQL {
  return expected ? sql`revision IN (SELECT value FROM json_each(${JSON.stringify(expected)}))` : sql`1`
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
