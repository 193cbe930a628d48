import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions, revisionIn } from '../../platform/db/revision.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { updatedAt } from '../../platform/db/watermark.ts'
import { isLimit } from '../../platform/errors.ts'
import { isLive, pathTo, shownColumns, writeError } from './path.ts'
import { blockedAfterMove, moveError, moveObstacle, moveOf } from './placement.ts'
import type { FileRow } from './row.ts'
import type { EditFile } from './schema.ts'

/**
 * Renames or moves an item, or changes who may read it (docs/conformance.md#files). A change with `parent_id` is a
 * move, which may also rename.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED, FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, FILE_CYCLIC_MOVE,
 * LIMIT_REACHED (folder_depth, folders_moved)
 */
export function editFile(
  ctx: RequestContext,
  id: string,
  { parent_id, ...others }: EditFile,
  expected: ExpectedRevisions = null,
): Promise<FileRow> {
  return retryOnConflict(() =>
    parent_id === undefined
      ? editItem(ctx, id, others, expected)
      : moveItem(ctx, id, parent_id, others, expected),
  )
}

/** The changes to an item other than a move. */
type OtherChanges = Omit<EditFile, 'parent_id'>

/** The parameters of both statements. The SQL leaves out parameters of members that do not change. */
type EditParams = Params<'id' | 'user_id' | 'now' | 'expected' | keyof OtherChanges>

/** The columns that a change of these members sets. */
function changed(members: readonly string[], p: EditParams) {
  return {
    name: members.includes('name') ? p.name : undefined,
    is_public: members.includes('is_public') ? p.is_public : undefined,
    revision: sql`revision + 1`,
    updated_at: updatedAt(p.now),
    // `satisfies` makes the compiler reject a change without its column here.
  } satisfies Record<keyof OtherChanges, unknown> & Record<string, unknown>
}

/** The values of the parameters of a change, and the members that it changes. */
function valuesOf(ctx: RequestContext, id: string, change: OtherChanges, expected: ExpectedRevisions) {
  const { name = null, is_public } = change
  const values = {
    id,
    user_id: ctx.user_id,
    now: seconds(ctx),
    name,
    is_public: Number(is_public ?? 0),
    expected: listOfRevisions(expected),
  }
  const members = Object.entries(change).flatMap(([member, value]) => (value === undefined ? [] : [member]))
  return { values, members: members.sort() }
}

const edit = perShape((members: readonly string[]) =>
  statement(
    (p: EditParams) => sql<FileRow>`UPDATE files SET ${assignments(files, changed(members, p))}
      WHERE id = ${p.id} AND ${isLive(p.id, p.user_id)} AND ${revisionIn(p.expected)} RETURNING ${shownColumns}`,
  ),
)

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
  const { values, members } = valuesOf(ctx, id, change, expected)
  const [edited] = await db.write(edit(members)(values))
  if (edited) return edited
  const error = writeError(await db.read(pathTo({ id })), user_id, expected)
  if (error) throw error
  return undefined
}

/** The parameters of a move. */
type MoveParams = Params<'id' | 'user_id' | 'parent_id' | 'expected' | 'max_depth' | 'max_folders'>

/** SQL: the obstacle to a move; NULL when there is none. CASE walks down the tree only at an expected revision. */
const obstacleTo = (p: MoveParams) =>
  sql`CASE WHEN ${revisionIn(p.expected)} THEN ${moveObstacle(p)} ELSE 'revision' END`

const move = perShape((members: readonly string[]) =>
  statement((p: EditParams & MoveParams) => {
    const values = { ...changed(members, p), parent_id: p.parent_id, blocked: blockedAfterMove(p.parent_id) }
    return sql<FileRow>`UPDATE files SET ${assignments(files, values)} FROM (${moveOf(p)}) AS move
      WHERE id = ${p.id} AND ${obstacleTo(p)} IS NULL RETURNING ${shownColumns}`
  }),
)

const obstacles = statement(
  (p: MoveParams) => sql<{ obstacle: string | null }>`SELECT ${obstacleTo(p)} AS obstacle
    FROM (${moveOf(p)}) AS move JOIN files ON files.id = ${p.id}`,
)

/**
 * Moves an item into `parent_id` (null: the root), and makes the other changes of the request. The statement requires that
 * the item is the caller's, live, at an expected revision, and allowed in the new parent
 * (docs/architecture.md#writing-without-races), so two opposite moves can't both succeed. Undefined when it changed nothing
 * and the reason is gone.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED, FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, FILE_CYCLIC_MOVE,
 * LIMIT_REACHED (folder_depth, folders_moved)
 */
async function moveItem(
  ctx: RequestContext,
  id: string,
  parent_id: string | null,
  change: OtherChanges,
  expected: ExpectedRevisions,
): Promise<FileRow | undefined> {
  const { db, user_id, config } = ctx
  const { values, members } = valuesOf(ctx, id, change, expected)
  const placed = {
    ...values,
    parent_id,
    max_depth: config.MAX_FOLDER_DEPTH,
    max_folders: config.MAX_FOLDERS_MOVED,
  }
  const [moved] = await db.write(move(members)(placed))
  // In a blocked folder, a profile picture is not shown.
  if (moved?.blocked === 1) ctx.ended.push(['profile', user_id])
  if (moved) return moved
  const {
    path,
    parent,
    obstacles: [found],
  } = await db.read({
    path: pathTo({ id }),
    parent: pathTo({ id: parent_id }),
    obstacles: obstacles(placed),
  })
  const limit = isLimit(found?.obstacle) ? found.obstacle : undefined
  const error =
    writeError(path, user_id, expected) ??
    (parent_id === null ? undefined : moveError(id, parent, user_id, limit))
  if (error) throw error
  return undefined
}
