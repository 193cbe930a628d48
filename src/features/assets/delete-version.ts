import { sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../../platform/context.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionError, revisionIn } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { writeAsset } from '../catalogue/write.ts'
import { isOwnAsset, ownAsset } from './access.ts'
import { versionDeleted } from './events.ts'
import { versionOf } from './row.ts'

/**
 * Deletes a version of an asset of the caller's, any but the current one (docs/conformance.md#game-assets). Its number is not
 * used again. A trigger queues the content for deletion when no other version shares it.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND, VERSION_IS_CURRENT, PRECONDITION_FAILED
 */
export async function deleteVersion(
  ctx: RequestContext,
  asset_id: string,
  number: number,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const { db, user_id } = ctx
  const isDeletable = sql`${isOwnAsset(asset_id, user_id)} AND current_version <> ${number} AND ${revisionIn(expected)}`
  const isDeleted = sql`asset_id = ${asset_id} AND version = ${number}
    AND EXISTS (SELECT 1 FROM game_assets WHERE ${isDeletable})`
  const kept_until = keptUntil(ctx)
  const changes = {
    kept_until: null,
    revision: sql`revision + 1`,
    deleted_versions: sql`deleted_versions + 1`,
    updated_at: updatedAt(seconds(ctx)),
  }

  const statements = {
    events: versionDeleted(ctx, isDeleted),
    // The trigger keeps the content until then.
    kept:
      kept_until === null
        ? []
        : sql`UPDATE game_assets SET ${assignments(gameAssets, { kept_until })}
            WHERE ${isDeletable} AND EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = ${asset_id} AND version = ${number})`,
    deleted: sql<{ id: string }>`DELETE FROM asset_versions WHERE ${isDeleted} RETURNING id`,
    // changes() counts the rows of the DELETE right before.
    changed: sql`UPDATE game_assets SET ${assignments(gameAssets, changes)} WHERE id = ${asset_id} AND changes() > 0`,
  }
  await retryOnConflict(async () => {
    const { deleted } = await writeAsset(ctx, db, statements, { asset_id })
    if (deleted.length > 0) return true
    const error = await whyNotDeleted(ctx, asset_id, number, expected)
    if (error) throw error
    return undefined
  })
}

/** Why no version was deleted, after nothing was; undefined when the reason is gone. */
async function whyNotDeleted(
  { db, user_id }: RequestContext,
  asset_id: string,
  number: number,
  expected: ExpectedRevisions,
): Promise<ApiError | undefined> {
  const {
    assets: [asset],
    versions: [version],
  } = await db.read({ assets: ownAsset(asset_id, user_id), versions: versionOf(asset_id, number) })
  if (!asset) return new ApiError('ASSET_NOT_FOUND')
  if (!version) return new ApiError('VERSION_NOT_FOUND')
  const error = revisionError(asset, expected, 'asset')
  if (error) return error
  return asset.current_version === number ? new ApiError('VERSION_IS_CURRENT') : undefined
}
