import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionError, revisionIn } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Picture } from '../../platform/pictures/formats.ts'
import { readPicture } from '../../platform/pictures/read.ts'
import { isNotGarbage } from '../../platform/storage/garbage.ts'
import { isOwnAsset, readOwnAsset } from '../assets/access.ts'
import { type AssetRow, assetColumns } from '../assets/row.ts'
import { writeAsset } from '../catalogue/write.ts'
import { previewMetadata, storeContent } from '../content/store.ts'
import { quotaUsedNext } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { pictureFailure, preview } from '../uploads/picture-limits.ts'
import { enqueuePreviewDeletion } from './remove.ts'

/**
 * Sets the preview of an asset of the caller's (docs/conformance.md#game-assets). The preview before is queued for deletion in
 * the same batch. Only the new size counts in the quota, at no moment both.
 *
 * @throws UPLOAD_MISMATCH, ASSET_NOT_FOUND, PRECONDITION_FAILED, QUOTA_EXCEEDED
 */
export async function setPreview(
  ctx: RequestContext,
  id: string,
  bytes: ArrayBuffer,
  expected: ExpectedRevisions = null,
): Promise<AssetRow> {
  const picture = await previewPicture(ctx, bytes)
  if (!isId(id)) throw new ApiError('ASSET_NOT_FOUND')
  const stored = { bytes, options: previewMetadata(id, picture.mime_type) }
  const whyNot = async () => revisionError(await readOwnAsset(ctx, id), expected, 'asset')
  return retryOnConflict(async () => {
    const asset = await storeContent(ctx, stored, {
      whyNot,
      write: (object_key) =>
        swapPreview(ctx, id, { ...picture, object_key, size_bytes: bytes.byteLength }, expected),
    })
    if (asset) return asset
    const error = await whyNot()
    if (error) throw error
    return undefined
  })
}

/** What the bytes of a preview say of themselves. @throws UPLOAD_MISMATCH */
async function previewPicture({ config }: RequestContext, bytes: ArrayBuffer): Promise<Picture> {
  const picture = await readPicture(bytes)
  const failure = pictureFailure(config, preview, picture)
  if (typeof picture === 'string' || failure !== undefined)
    throw new ApiError('UPLOAD_MISMATCH', { detail: failure })
  return picture
}

interface NewPreview extends Picture {
  object_key: string
  size_bytes: number
}

/** Undefined when the asset can't take the preview. */
async function swapPreview(
  ctx: RequestContext,
  id: string,
  { object_key, mime_type, size_bytes, width, height }: NewPreview,
  expected: ExpectedRevisions,
): Promise<AssetRow | undefined> {
  const { db, user_id } = ctx
  const canSet = sql`${isOwnAsset(id, user_id)} AND ${revisionIn(expected)} AND ${isNotGarbage(object_key)}`
  const changes = {
    preview_key: object_key,
    preview_type: mime_type,
    preview_bytes: size_bytes,
    preview_width: width,
    preview_height: height,
    revision: sql`revision + 1`,
    updated_at: updatedAt(seconds(ctx)),
  }
  const added = sql`SELECT ${size_bytes} - preview_bytes FROM game_assets WHERE ${canSet}`
  const statements = {
    usage: ensureUsageRow(ctx),
    quota: quotaUsedNext(ctx, user_id, added),
    earlier: enqueuePreviewDeletion(ctx, canSet),
    set: sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, changes)} WHERE ${canSet} RETURNING ${assetColumns}`,
  }
  const {
    set: [asset],
  } = await writeAsset(ctx, db, statements, { asset_id: id })
  return asset
}
