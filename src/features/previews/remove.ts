import { type SQL, sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../../platform/context.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { gameAssets, garbage } from '../../platform/db/schema.ts'
import { assignments, insert } from '../../platform/db/sql.ts'
import { deletionTimes } from '../../platform/storage/garbage.ts'
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

/**
 * The statement that queues the previews of assets for deletion, for the batch that removes or replaces the previews. `which`
 * selects rows of `game_assets`. With CONTENT_GRACE_DAYS the previews stay that long, unless their owner has been erased.
 */
export function enqueuePreviewDeletion(ctx: Pick<RequestContext, 'config' | 'now_ms'>, which: SQL): SQL {
  const row = {
    object_key: sql`preview_key`,
    writable_until: 0,
    ...deletionTimes({ now: seconds(ctx), kept_until: keptUntil(ctx) }, sql`preview_bytes`),
  }
  return sql`${insert(garbage, row, sql`FROM game_assets WHERE ${which} AND preview_key IS NOT NULL`)}
    ON CONFLICT (object_key) DO NOTHING`
}
