import { getTableColumns, sql } from 'drizzle-orm'
import { keptUntil, type PublicContext, type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/id.ts'
import { type ExpectedRevisions, listOfRevisions, revisionError } from '../../platform/db/revision.ts'
import { gameAssets, garbage } from '../../platform/db/schema.ts'
import {
  assignments,
  columnsOf,
  insert,
  type Params,
  perShape,
  type RowOf,
  statement,
} from '../../platform/db/sql.ts'
import { isNotErased, updatedAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Picture } from '../../platform/pictures/formats.ts'
import { readPicture } from '../../platform/pictures/read.ts'
import { deletionTimes, isNotGarbage } from '../../platform/storage/garbage.ts'
import { canChange, readOwnAsset, rejectWrite } from '../assets/access.ts'
import { maySeePreviews, type PreviewSignature } from '../assets/preview-url.ts'
import { type AssetRow, assetColumns } from '../assets/row.ts'
import { writeAsset } from '../catalogue/write.ts'
import { previewMetadata, storeContent } from '../content/store.ts'
import { thresholdByReplacement } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { pictureFailure, preview } from '../uploads/content-kinds.ts'

const { owner_id, is_listed, preview_type, preview_bytes } = getTableColumns(gameAssets)
const columns = { owner_id, is_listed, preview_type, preview_bytes }

/** The columns of an asset from which its preview is served. */
export interface PreviewRow extends RowOf<typeof columns> {}

const shownPreview = statement(
  (p: Params<'asset_id' | 'object_key'>) => sql<PreviewRow>`SELECT ${columnsOf(columns)} FROM game_assets
    WHERE id = ${p.asset_id} AND preview_key = ${p.object_key}
      AND blocked = 0 AND deleted_at IS NULL AND ${isNotErased}`,
)

/**
 * Reads the preview of an asset; undefined unless the asset has this preview, and everybody may see the asset or the signature is
 * that of its owner. From the primary: a preview that its owner or a moderator has removed is not served again.
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
  const [found] = await ctx.databases.of(asset_id).read(shownPreview({ asset_id, object_key }))
  if (!found || found.is_listed === 1) return found
  const isOwners = await maySeePreviews(ctx.config, found.owner_id, signature, seconds(ctx))
  return isOwners ? found : undefined
}

/**
 * Sets the preview of an asset of the caller's (docs/conformance.md#previews). The previous preview is queued for deletion in
 * the same batch, so that the quota never counts both sizes.
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

/** Reads the properties of a preview. @throws UPLOAD_MISMATCH */
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

type Change = Params<'id' | 'user_id' | 'expected'>
type Swap = Change & Params<'object_key'>

const canSet = (p: Swap) => sql`${canChange(p)} AND ${isNotGarbage(p.object_key)}`

/**
 * The statement that queues the preview of an asset for deletion, for the batch that replaces it with `object_key` or removes it
 * (NULL). `isKept`: the preview stays until `kept_until`, unless its owner has been erased.
 */
const enqueueEarlier = perShape((isKept: boolean) =>
  statement((p: Swap & Params<'now' | 'kept_until'>) => {
    const times = deletionTimes({ now: p.now, kept_until: isKept ? p.kept_until : null }, sql`preview_bytes`)
    const row = { object_key: sql`preview_key`, writable_until: 0, ...times }
    return sql<{
      object_key: string
    }>`${insert(garbage, row, sql`FROM game_assets WHERE ${canSet(p)} AND preview_key IS NOT NULL`)}
      ON CONFLICT (object_key) DO NOTHING RETURNING object_key`
  }),
)

const set = statement((p: Swap & Params<'mime_type' | 'size_bytes' | 'width' | 'height' | 'now'>) => {
  const changes = {
    preview_key: p.object_key,
    preview_type: p.mime_type,
    preview_bytes: p.size_bytes,
    preview_width: p.width,
    preview_height: p.height,
    revision: sql`revision + 1`,
    updated_at: updatedAt(p.now),
  }
  return sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, changes)} WHERE ${canSet(p)} RETURNING ${assetColumns}`
})

const charged = thresholdByReplacement(
  (p: Swap & Params<'size_bytes'>) =>
    sql`SELECT ${p.size_bytes} - preview_bytes FROM game_assets WHERE ${canSet(p)}`,
)

/** Undefined when the asset can't take the preview. */
async function swapPreview(
  ctx: RequestContext,
  id: string,
  { object_key, mime_type, size_bytes, width, height }: NewPreview,
  expected: ExpectedRevisions,
): Promise<AssetRow | undefined> {
  const { db, user_id } = ctx
  const picture = { object_key, mime_type, size_bytes, width, height }
  const values = { id, user_id, expected: listOfRevisions(expected), ...picture, now: seconds(ctx) }
  const kept_until = keptUntil(ctx)
  const statements = {
    usage: ensureUsageRow(ctx),
    quota: charged(ctx, values),
    earlier: enqueueEarlier(kept_until !== null)({ ...values, kept_until }),
    set: set(values),
  }
  const {
    earlier,
    set: [asset],
  } = await writeAsset(ctx, db, statements, { asset_id: id })
  if (earlier.length > 0) ctx.ended.push(['asset', id])
  return asset
}

const foundAsset = statement(
  (p: Change) => sql<Pick<AssetRow, 'id'>>`SELECT id FROM game_assets WHERE ${canChange(p)}`,
)

/** The changes of an asset that loses its preview. */
export const noPreview = {
  preview_key: null,
  preview_type: null,
  preview_bytes: 0,
  preview_width: null,
  preview_height: null,
  revision: sql`revision + 1`,
} as const

const remove = statement(
  (
    p: Change & Params<'now'>,
  ) => sql`UPDATE game_assets SET ${assignments(gameAssets, { ...noPreview, updated_at: updatedAt(p.now) })}
    WHERE ${canChange(p)} AND preview_key IS NOT NULL`,
)

/**
 * Removes the preview of an asset of the caller's (docs/conformance.md#previews). An asset without one stays as it is.
 *
 * @throws ASSET_NOT_FOUND, PRECONDITION_FAILED
 */
export async function removePreview(
  ctx: RequestContext,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const { db, user_id } = ctx
  const kept_until = keptUntil(ctx)
  const values = { id, user_id, expected: listOfRevisions(expected), now: seconds(ctx), kept_until }
  const statements = {
    found: foundAsset(values),
    earlier: enqueueEarlier(kept_until !== null)({ ...values, object_key: null }),
    removed: remove(values),
  }
  await retryOnConflict(async () => {
    const { found, earlier } = await writeAsset(ctx, db, statements, { asset_id: id })
    if (earlier.length > 0) ctx.ended.push(['asset', id])
    return found.length > 0 ? found : rejectWrite(ctx, id, expected)
  })
}
