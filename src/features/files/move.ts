import { type SQL, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import type { RequestContext } from '../../platform/context.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments, keptStatements } from '../../platform/db/sql.ts'
import { isLimit } from '../../platform/errors.ts'
import { type EditSlot, newValues, type OtherChanges, valuesOf } from './changes.ts'
import type { FileRow } from './row.ts'
import { blockedAfterMove, moveError, moveObstacle, moveOf } from './tree/placement.ts'
import { writeError } from './tree/revision.ts'
import { shownColumns } from './tree/visibility.ts'
import { pathTo } from './tree/walk.ts'

const keptMove = keptStatements<FileRow>()

/**
 * Moves an item into `parent_id` (null: the root), and makes the other changes of the request. The statement requires that
 * the item is the caller's, live, at an expected revision, and allowed in the new parent
 * (docs/architecture.md#writing-without-races), so two opposite moves can't both succeed. Undefined when it changed nothing
 * and the reason is gone.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED, FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, FILE_CYCLIC_MOVE,
 * LIMIT_REACHED (folder_depth, folders_moved)
 */
export async function moveItem(
  ctx: RequestContext,
  id: string,
  parent_id: string | null,
  change: OtherChanges,
  expected: ExpectedRevisions,
): Promise<FileRow | undefined> {
  const { db, user_id, config } = ctx
  const [moved] = await db.write(
    keptMove(
      `${parent_id === null ? 'to the root' : 'to a folder'} ${config.MAX_FOLDER_DEPTH} ${config.MAX_FOLDERS_MOVED}`,
      (slot) => moveStatement(config, slot, parent_id === null ? null : slot('parent_id'), change, expected),
      { ...valuesOf(ctx, id, change, expected), parent_id },
    ),
  )
  if (moved) return moved
  const {
    path,
    parent,
    obstacles: [found],
  } = await db.read({
    path: pathTo(id),
    parent: pathTo(parent_id ?? ''),
    obstacles: sql<{
      obstacle: string | null
    }>`SELECT ${obstacleOf(config, id, user_id, expected)} AS obstacle
      FROM (${moveOf(id, parent_id, user_id)}) AS move JOIN files ON files.id = ${id}`,
  })
  const limit = isLimit(found?.obstacle) ? found.obstacle : undefined
  const error =
    writeError(path, user_id, expected) ??
    (parent_id === null ? undefined : moveError(id, parent, user_id, limit))
  if (error) throw error
  return undefined
}

/** The statement that moves an item unless there is an obstacle. */
function moveStatement(
  config: Config,
  slot: EditSlot,
  parent_id: SQL | null,
  change: OtherChanges,
  expected: ExpectedRevisions,
): SQL<FileRow> {
  const [id, user_id] = [slot('id'), slot('user_id')]
  const values = { ...newValues(change, slot), parent_id, blocked: blockedAfterMove(parent_id) }
  return sql`UPDATE files SET ${assignments(files, values)} FROM (${moveOf(id, parent_id, user_id)}) AS move
    WHERE id = ${id} AND ${obstacleOf(config, id, user_id, expected && slot('expected'))} IS NULL
    RETURNING ${shownColumns}`
}

/** SQL: the obstacle to a move; NULL when there is none. CASE walks down the tree only at an expected revision. */
function obstacleOf(
  config: Config,
  id: string | SQL,
  user_id: string | SQL,
  expected: ExpectedRevisions | SQL,
): SQL {
  return sql`CASE WHEN ${revisionIn(expected)} THEN ${moveObstacle(id, user_id, config)} ELSE 'revision' END`
}
