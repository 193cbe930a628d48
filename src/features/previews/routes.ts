import { BytesBody } from '../../platform/http/body.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route, withETag } from '../../platform/http/route.ts'
import { MIB } from '../../platform/lib/units.ts'
import { previewUrls } from '../assets/preview-url.ts'
import { assetRecord } from '../assets/row.ts'
import { AssetId, GameAsset } from '../assets/schema.ts'
import { removePreview, setPreview } from './preview.ts'

/** The most bytes of a preview. */
const MAX_PREVIEW_BYTES = MIB

/** The previews of game assets (docs/conformance.md#previews). */
export const router = new Router('Game assets', requestContext)

route(router, 'PUT /v1/game/assets/{id}/preview', 'setPreview', {
  summary: 'Set the preview of an asset',
  description:
    'The body is a PNG, a JPEG or a WebP of at most 1 MiB and MAX_PICTURE_PIXELS pixels, with 8 bits a channel, and not animated. Its first bytes tell the type, whatever `Content-Type` says. Only the new preview counts in the quota.',
  params: AssetId,
  ifMatch: true,
  body: new BytesBody(() => MAX_PREVIEW_BYTES),
  answers: { 200: [GameAsset, 'The asset', 'ETag'] },
  errors: ['ASSET_NOT_FOUND', 'QUOTA_EXCEEDED'],
  handle: async (ctx, { params, body, expected }) => {
    const asset = await setPreview(ctx, params.id, body.bytes, expected)
    return withETag(assetRecord(asset, await previewUrls(ctx, [asset])), asset.revision)
  },
})

route(router, 'DELETE /v1/game/assets/{id}/preview', 'deletePreview', {
  summary: 'Remove the preview of an asset',
  description: 'An asset without a preview stays as it is.',
  params: AssetId,
  ifMatch: true,
  answers: { 204: 'The asset has no preview' },
  errors: ['ASSET_NOT_FOUND'],
  handle: (ctx, { params, expected }) => removePreview(ctx, params.id, expected),
})
