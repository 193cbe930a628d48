import { type ExpectedRevisions, revisionError } from '../../../platform/db/revision.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { FileRow } from '../row.ts'
import { isOwn } from './lifecycle.ts'

/** Why the user may not write to the item at the start of `path`: FILE_NOT_FOUND or PRECONDITION_FAILED. */
export function writeError(
  path: FileRow[],
  user_id: string,
  expected: ExpectedRevisions,
): ApiError | undefined {
  const [item] = path
  if (!item || !isOwn(path, user_id)) return new ApiError('FILE_NOT_FOUND')
  return revisionError(item, expected, 'item')
}
