import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { retryOnConflict } from '../db/idempotency.ts'
import { updatedAt } from '../db/marks.ts'
import { ApiError, isLimit } from '../errors.ts'
import type { ExpectedRevisions } from '../http/if-match.ts'
import type { FileRow } from './record.ts'
import type { EditFile } from './schema.ts'
import { liesIn, moveError, moveObstacle, moveOf } from './tree/placement.ts'
import { isLive, isOwn, pathTo, shownColumns } from './tree/walk.ts'

/**
 * Renames, moves or shows an item, all in one statement that carries every rule: owned, live, unchanged since
 * the caller looked, and the new parent open to it (specification §4.1; architecture, "Concurrency rules" 3). What
 * leaves the nearest blocked folder above it takes the block along, also to where another one is blocked, so that moving
 * is no way around a moderator, whichever block is lifted first.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED, FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, FILE_CYCLIC_MOVE,
 * LIMIT_REACHED (folder_depth, folders_moved)
 */
export async function editFile(
  ctx: RequestContext,
  id: string,
  change: EditFile,
  expected: ExpectedRevisions = null,
): Promise<FileRow> {
  const { db, user_id } = ctx
  const { name = null, parent_id, is_public } = change
  const move = parent_id === undefined ? undefined : moveTo(ctx, id, parent_id, expected)

  return retryOnConflict(async () => {
    const [changed] = await db.all<FileRow>(
      sql`UPDATE files SET
          name = coalesce(${name}, name),
          ${move?.changes ?? sql.empty()}
          is_public = coalesce(${is_public === undefined ? null : Number(is_public)}, is_public),
          revision = revision + 1,
          updated_at = ${updatedAt(seconds(ctx))}
        ${move ? sql`FROM (${move.row}) AS move` : sql.empty()}
        WHERE id = ${id} AND ${move ? sql`${move.obstacle} IS NULL` : sql`${isLive(id, user_id)} AND ${revisionIn(expected)}`}
        RETURNING ${shownColumns}`,
    )
    if (changed) return changed
    const {
      path,
      parent,
      entry: [entry],
    } = await db.batch({
      path: pathTo(id),
      parent: pathTo(parent_id ?? ''),
      entry: move
        ? sql<{
            obstacle: string | null
          }>`SELECT ${move.obstacle} AS obstacle FROM (${move.row}) AS move JOIN files ON files.id = ${id}`
        : sql<{ obstacle: null }>`SELECT NULL AS obstacle`,
    })
    const limit = isLimit(entry?.obstacle) ? entry.obstacle : undefined
    const refusal =
      writeError(path, user_id, expected) ??
      (typeof parent_id === 'string' ? moveError(id, parent, user_id, limit) : undefined)
    if (refusal) throw refusal
    return undefined
  })
}

/** What an UPDATE needs to move an item: the row about it, what is in the way (null: nothing), and the assignments. */
function moveTo(
  { user_id, config }: RequestContext,
  id: string,
  parent_id: string | null,
  expected: ExpectedRevisions,
) {
  const staysInside = parent_id === null ? sql`0` : liesIn(parent_id, sql`move.blocked_above`)
  return {
    row: moveOf(id, parent_id, user_id),
    obstacle: sql`CASE WHEN ${revisionIn(expected)} THEN ${moveObstacle(id, user_id, config)} ELSE 'revision' END`,
    changes: sql`parent_id = ${parent_id},
      blocked = CASE WHEN move.blocked_above IS NULL OR parent_id IS ${parent_id} OR ${staysInside} THEN blocked ELSE 1 END,`,
  }
}

/** Why an item may not be changed at all by this user on this condition; undefined when it may. */
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

/** SQL: whether the row is still at a revision that the caller expects. */
export function revisionIn(expected: ExpectedRevisions): SQL {
  return expected ? sql`revision IN (SELECT value FROM json_each(${JSON.stringify(expected)}))` : sql`1`
}
