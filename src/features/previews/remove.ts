import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { enqueuePreviewDeletion } from '../../platform/storage/garbage.ts'
import { isOwnAsset, rejectWrite } from '../assets/access.ts'
import { writeAsset } from '../catalogue/write.ts'

/**
 * Removes the preview of an asset of the caller's (docs/conformance.md#game-assets). An asset without one stays as it is.
 *
 * @throws ASSET_NOT_FOUND, PRECONDITION_FAILED
 */
export async function removePreview(
  ctx: RequestContext,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const isOwn = isOwnAsset(id, ctx.user_id)
  const canChange = sql`${isOwn} AND ${revisionIn(expected)}`
  const changes = { ...noPreview, updated_at: updatedAt(seconds(ctx)) }
  const statements = {
    found: sql<{ id: string }>`SELECT id FROM game_assets WHERE ${canChange}`,
    earlier: enqueuePreviewDeletion(ctx, canChange),
    removed: sql`UPDATE game_assets SET ${assignments(gameAssets, changes)}
      WHERE ${canChange} AND preview_key IS NOT NULL`,
  }
  await retryOnConflict(async () => {
    const { found } = await writeAsset(ctx, ctx.db, statements, { asset_id: id })
    return found.length > 0 ? found : rejectWrite(ctx, isOwn, expected)
  })
}

/** The changes of an asset that loses its preview. */
export const noPreview = {
  preview_key: null,
  preview_type: null,
  preview_bytes: 0,
  preview_width: null,
  preview_height: null,
  revision: sql`revision + 1`,
} as const
