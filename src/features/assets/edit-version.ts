import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions, revisionError } from '../../platform/db/revision.ts'
import { assetVersions, gameAssets } from '../../platform/db/schema.ts'
import { assignments, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { writeAsset } from '../catalogue/write.ts'
import { canChange, readOwnVersion } from './access.ts'
import { type VersionRow, versionColumns } from './row.ts'
import { changesOfVersion } from './served.ts'
import { type EditVersion, EMPTY_RANGE, isEmptyRange } from './version-schema.ts'

type Edit = Params<'id' | 'user_id' | 'expected' | 'version' | 'notes' | 'min_build' | 'max_build'>

/** `columns`: those that change. */
const edit = perShape((columns: string[]) =>
  statement((p: Edit) => {
    const given = (column: 'notes' | 'min_build' | 'max_build') =>
      columns.includes(column) ? p[column] : undefined
    const changes = { notes: given('notes'), min_build: given('min_build'), max_build: given('max_build') }
    const { min_build = sql`min_build`, max_build = sql`max_build` } = changes
    return sql<VersionRow>`UPDATE asset_versions SET ${assignments(assetVersions, changes)}
      WHERE asset_id = ${p.id} AND version = ${p.version} AND (${min_build} > ${max_build}) IS NOT 1
        AND EXISTS (SELECT 1 FROM game_assets WHERE ${canChange(p)}) RETURNING ${versionColumns}`
  }),
)

/** changes() counts the rows of the UPDATE right before. */
const countEdit = statement(
  (p: Params<'id' | 'version' | 'now'>) =>
    sql`UPDATE game_assets SET ${assignments(gameAssets, changesOfVersion(p.version, p.now))} WHERE id = ${p.id} AND changes() > 0`,
)

/**
 * Changes the notes of a version of an asset of the caller's, or the builds that can read it. Every edit raises the asset's revision.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND, PRECONDITION_FAILED, VALIDATION_FAILED
 */
export async function editVersion(
  ctx: RequestContext,
  id: string,
  version: number,
  change: EditVersion,
  expected: ExpectedRevisions = null,
): Promise<VersionRow> {
  const { db, user_id } = ctx
  const { notes, min_build, max_build } = change
  const columns = Object.entries({ notes, min_build, max_build })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  const values = { notes: notes || null, min_build: min_build ?? null, max_build: max_build ?? null }
  const own = { id, user_id, expected: listOfRevisions(expected), version }
  const statements = {
    edited: edit(columns)({ ...own, ...values }),
    changed: countEdit({ id, version, now: seconds(ctx) }),
  }
  return retryOnConflict(async () => {
    const {
      edited: [edited],
    } = await writeAsset(ctx, db, statements, { asset_id: id })
    if (edited) return edited
    const { asset, version: found } = await readOwnVersion(ctx, id, version)
    const error = revisionError(asset, expected, 'asset')
    if (error) throw error
    if (isEmptyRange({ min_build: found.min_build, max_build: found.max_build, ...change }))
      throw emptyRange()
    return undefined
  })
}

/** The error of a bound that is on the wrong side of the stored one. */
function emptyRange(): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: `${EMPTY_RANGE}, which the version has already if it is not sent.`,
    errors: [{ in: 'body', path: '', message: EMPTY_RANGE }],
  })
}
