import sql, { empty, type Sql } from 'sql-template-tag'
import { untilDecided } from '../db/once.ts'
import { ApiError } from '../errors.ts'
import type { ExpectedRevisions } from '../http/precondition.ts'
import { seconds, type Work } from '../work.ts'
import { mayMoveInto, moveRefusal } from './enter.ts'
import { isOwn, live, livePlace, pathTo } from './path.ts'
import { type FileRow, fileColumns } from './record.ts'
import type { ChangeFile } from './schema.ts'

/**
 * Renames, moves or shows an item, all in one statement that carries every rule: owned, live, unchanged since
 * the caller looked, and the new parent open to it (specification §4.1; architecture, "Concurrency rules" 3). What
 * leaves a blocked folder takes the block along, so that moving is no way around a moderator.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED, FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, FILE_CYCLIC_MOVE,
 * LIMIT_REACHED (folder_depth)
 */
export async function changeFile(
  work: Work,
  id: string,
  change: ChangeFile,
  expected: ExpectedRevisions = null,
): Promise<FileRow> {
  const { db, config, user_id } = work
  const { name = null, parent_id, is_public } = change
  const isMove = parent_id !== undefined
  const mayMove = !isMove ? sql`1` : mayMoveInto(id, parent_id, user_id, config.MAX_FOLDER_DEPTH)

  return untilDecided(async () => {
    const [changed] = await db.all<FileRow>(
      sql`UPDATE files SET
          name = coalesce(${name}, name),
          ${isMove ? sql`parent_id = ${parent_id}, blocked = iif(parent_id IS ${parent_id}, blocked, place.hidden),` : empty}
          is_public = coalesce(${is_public === undefined ? null : Number(is_public)}, is_public),
          revision = revision + 1,
          updated_at = ${seconds(work)}
        ${isMove ? sql`FROM (${livePlace(id, user_id)}) AS place` : empty}
        WHERE id = ${id} AND ${isMove ? sql`place.hidden IS NOT NULL` : live(id, user_id)} AND ${revisionIn(expected)} AND ${mayMove}
        RETURNING ${fileColumns}`,
    )
    if (changed) return changed
    const [path, parent, [entry]] = await db.batch<[FileRow, FileRow, { fits: 0 | 1 }]>([
      pathTo(id),
      pathTo(parent_id ?? ''),
      sql`SELECT ${mayMove} AS fits`,
    ])
    const refusal =
      writeRefusal(path, user_id, expected) ??
      (typeof parent_id === 'string' ? moveRefusal(id, parent, user_id, entry?.fits === 1) : undefined)
    if (refusal) throw refusal
    return undefined
  })
}

/** Why an item may not be changed at all by this user on this condition; undefined when it may. */
export function writeRefusal(
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
export function revisionIn(expected: ExpectedRevisions): Sql {
  return expected ? sql`revision IN (SELECT value FROM json_each(${JSON.stringify(expected)}))` : sql`1`
}
