import { getTableColumns, sql } from 'drizzle-orm'
import { type PublicContext, seconds } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { columnsOf, keptStatements, type RowOf } from '../../platform/db/sql.ts'
import { maySeePreviews, type PreviewSignature } from '../assets/preview-signature.ts'

const { owner_id, is_listed, preview_type, preview_bytes } = getTableColumns(gameAssets)
const columns = { owner_id, is_listed, preview_type, preview_bytes }

/** The columns of an asset from which its preview is served. */
export interface PreviewRow extends RowOf<typeof columns> {}

const kept = keptStatements<PreviewRow>()

/**
 * Reads the preview of an asset; undefined unless the asset has this preview, and everybody may see the asset or the signature is
 * that of its owner. From the primary: a preview that its owner or a moderator has taken away is not served once more.
 *
 * @throws UNAVAILABLE
 */
export async function findPreview(
  ctx: PublicContext,
  asset_id: string,
  object_key: string,
  signature: PreviewSignature,
): Promise<PreviewRow | undefined> {
  if (!isId(asset_id) || !isId(object_key)) return undefined
  const [preview] = await ctx.databases.of(asset_id).read(
    kept(
      'preview',
      (slot) => sql`SELECT ${columnsOf(columns)} FROM game_assets
        WHERE id = ${slot('asset_id')} AND preview_key = ${slot('object_key')}
          AND blocked = 0 AND deleted_at IS NULL AND ${isNotErased}`,
      { asset_id, object_key },
    ),
  )
  if (!preview || preview.is_listed === 1) return preview
  const isOwners = await maySeePreviews(ctx.config, preview.owner_id, signature, seconds(ctx))
  return isOwners ? preview : undefined
}
