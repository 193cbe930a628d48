import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { updatedAt } from '../db/marks.ts'
import { retryOnConflict } from '../db/retry.ts'
import { files } from '../db/schema.ts'
import { assignments, type Values } from '../db/sql.ts'
import { isLimit } from '../errors.ts'
import type { FileRow } from './record.ts'
import type { EditFile } from './schema.ts'
import { isLive } from './tree/lifecycle.ts'
import { blockedAfterMove, moveError, moveObstacle, moveOf } from './tree/placement.ts'
import { type ExpectedRevisions, revisionIn, writeError } from './tree/revision.ts'
import { shownColumns } from './tree/visibility.ts'
import { pathTo } from './tree/walk.ts'

/**
 * Renames or moves an item, or changes who may read it (specification §4.1). A change with `parent_id` is a move, which
 * may also rename.
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

type OtherChanges = Omit<EditFile, 'parent_id'>

/** Changes an item in its place. The statement requires that the item is the caller's, live, and at an expected revision. */
async function editItem(
  ctx: RequestContext,
  id: string,
  change: OtherChanges,
  expected: ExpectedRevisions,
): Promise<FileRow | undefined> {
  const { db, user_id } = ctx
  const [edited] = await db.all(
    sql<FileRow>`UPDATE files SET ${assignments(files, valuesOf(ctx, change))}
      WHERE id = ${id} AND ${isLive(id, user_id)} AND ${revisionIn(expected)} RETURNING ${shownColumns}`,
  )
  if (edited) return edited
  const error = writeError(await db.all(pathTo(id)), user_id, expected)
  if (error) throw error
  return undefined
}

/**
 * Moves an item, with whatever else changes. The statement also requires that the item may be in the new parent (architecture,
 * "Concurrency rules" 3), so two opposite moves can't both succeed.
 */
async function moveItem(
  ctx: RequestContext,
  id: string,
  parent_id: string | null,
  change: OtherChanges,
  expected: ExpectedRevisions,
): Promise<FileRow | undefined> {
  const { db, user_id, config } = ctx
  const move = moveOf(id, parent_id, user_id)
  // CASE evaluates the obstacle, which may be a walk down, only when the revision is an expected one.
  const obstacle = sql`CASE WHEN ${revisionIn(expected)} THEN ${moveObstacle(id, user_id, config)} ELSE 'revision' END`
  const values = { ...valuesOf(ctx, change), parent_id, blocked: blockedAfterMove(parent_id) }
  const [moved] = await db.all(
    sql<FileRow>`UPDATE files SET ${assignments(files, values)} FROM (${move}) AS move
      WHERE id = ${id} AND ${obstacle} IS NULL RETURNING ${shownColumns}`,
  )
  if (moved) return moved
  const {
    path,
    parent,
    obstacles: [found],
  } = await db.batch({
    path: pathTo(id),
    parent: pathTo(parent_id ?? ''),
    obstacles: sql<{ obstacle: string | null }>`SELECT ${obstacle} AS obstacle
      FROM (${move}) AS move JOIN files ON files.id = ${id}`,
  })
  const limit = isLimit(found?.obstacle) ? found.obstacle : undefined
  const error =
    writeError(path, user_id, expected) ??
    (parent_id === null ? undefined : moveError(id, parent, user_id, limit))
  if (error) throw error
  return undefined
}

function valuesOf(ctx: RequestContext, { name, is_public }: OtherChanges) {
  return {
    name,
    is_public: is_public === undefined ? undefined : is_public ? (1 as const) : (0 as const),
    revision: sql`revision + 1`,
    updated_at: updatedAt(seconds(ctx)),
    // Every member that a change may have is here: the compiler names a forgotten one.
  } satisfies Partial<Values<typeof files>> & Record<keyof OtherChanges, unknown>
}
