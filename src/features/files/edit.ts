import { type SQL, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments, keptStatements, type Slot, type Values } from '../../platform/db/sql.ts'
import { isLimit } from '../../platform/errors.ts'
import type { FileRow } from './row.ts'
import type { EditFile } from './schema.ts'
import { isLive } from './tree/lifecycle.ts'
import { blockedAfterMove, moveError, moveObstacle, moveOf } from './tree/placement.ts'
import { type ExpectedRevisions, revisionIn, writeError } from './tree/revision.ts'
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

type OtherChanges = Omit<EditFile, 'parent_id'>
type EditSlot = Slot<'id' | 'user_id' | 'now' | 'name' | 'is_public' | 'expected'>

const keptEdit = keptStatements<FileRow>()
const keptMove = keptStatements<FileRow>()

/** Changes an item in its place. The statement requires that the item is the caller's, live, and at an expected revision. */
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

/**
 * Moves an item, and makes the other changes of the request. The statement also requires that the item may be in the new
 * parent (docs/architecture.md#writing-without-races), so two opposite moves can't both succeed.
 */
async function moveItem(
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

/** The values of the slots of both statements. */
function valuesOf(
  ctx: RequestContext,
  id: string,
  { name, is_public }: OtherChanges,
  expected: ExpectedRevisions,
) {
  return {
    id,
    user_id: ctx.user_id,
    now: seconds(ctx),
    name,
    is_public: is_public === undefined ? undefined : Number(is_public),
    expected: expected ? JSON.stringify(expected) : undefined,
    // `satisfies` makes the compiler reject a change without its value here.
  } satisfies Record<keyof OtherChanges, unknown> & Record<string, unknown>
}

/** The columns that a change sets. */
function newValues({ name, is_public }: OtherChanges, slot: EditSlot) {
  return {
    name: name === undefined ? undefined : slot('name'),
    is_public: is_public === undefined ? undefined : slot('is_public'),
    revision: sql`revision + 1`,
    updated_at: updatedAt(slot('now')),
  } satisfies Partial<Values<typeof files>> & Record<keyof OtherChanges, unknown>
}
