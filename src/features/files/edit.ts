import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments, keptStatements } from '../../platform/db/sql.ts'
import { newValues, type OtherChanges, valuesOf } from './changes.ts'
import { moveItem } from './move.ts'
import type { FileRow } from './row.ts'
import type { EditFile } from './schema.ts'
import { isLive } from './tree/lifecycle.ts'
import { writeError } from './tree/revision.ts'
import { shownColumns } from './tree/visibility.ts'
import { pathTo } from './tree/walk.ts'

/**
 * Renames or moves an item, or changes who may read it (docs/conformance.md#41-files). A change with `parent_id` is a
 * move, which may also rename.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED, FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, FILE_CYCLIC_MOVE,
 * LIMIT_REACHED (folder_depth, folders_moved)
 */
export function editFile(
  ctx: RequestContext,
  id: string,
  change: EditFile,
  expected: ExpectedRevisions = null,
): Promise<FileRow> {
  const { parent_id, ...others } = change
  return retryOnConflict(() =>
    parent_id === undefined
      ? editItem(ctx, id, others, expected)
      : moveItem(ctx, id, parent_id, others, expected),
  )
}

const keptEdit = keptStatements<FileRow>()

/**
 * Changes an item that stays in its folder. The statement requires that the item is the caller's, live, and at an expected
 * revision. Undefined when it changed nothing and the reason is gone.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED
 */
async function editItem(
  ctx: RequestContext,
  id: string,
  change: OtherChanges,
  expected: ExpectedRevisions,
): Promise<FileRow | undefined> {
  const { db, user_id } = ctx
  const [edited] = await db.write(
    keptEdit(
      'edit',
      (slot) => sql`UPDATE files SET ${assignments(files, newValues(change, slot))}
        WHERE id = ${slot('id')} AND ${isLive(slot('id'), slot('user_id'))}
          AND ${revisionIn(expected && slot('expected'))} RETURNING ${shownColumns}`,
      valuesOf(ctx, id, change, expected),
    ),
  )
  if (edited) return edited
  const error = writeError(await db.read(pathTo(id)), user_id, expected)
  if (error) throw error
  return undefined
}
