import { createRoute } from '@hono/zod-openapi'
import { bytesBody, receivedBytes } from '../../platform/http/body.ts'
import { ContentDigest } from '../../platform/http/content-digest.ts'
import { entityTagHeaders, IfMatch } from '../../platform/http/if-match.ts'
import {
  bytesRequest,
  createRouter,
  entityTagHeader,
  errorResponses,
  errorResponsesWithBytes,
  json,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { previewUrls } from '../assets/preview-url.ts'
import { assetRecord } from '../assets/row.ts'
import { AssetId, GameAsset } from '../assets/schema.ts'
import { removePreview, setPreview } from './preview.ts'
import { MAX_PREVIEW_BYTES } from './schema.ts'

/** The previews of game assets (docs/conformance.md#game-assets), mounted at /v1/game/assets. */
export const previews = createRouter()
const tags = ['Game assets']

const putPreview = createRoute({
  method: 'put',
  path: '/{id}/preview',
  operationId: 'setPreview',
  summary: 'Set the preview of an asset',
  description:
    'The body is a PNG, a JPEG or a WebP of at most 1 MiB and MAX_PICTURE_PIXELS pixels, with 8 bits a channel, and not animated. Its first bytes tell the type, whatever `Content-Type` says. Only the new preview counts in the quota.',
  tags,
  middleware: bytesBody(() => MAX_PREVIEW_BYTES),
  request: { params: AssetId, headers: IfMatch.extend(ContentDigest.shape), body: bytesRequest },
  responses: {
    200: { ...json(GameAsset, 'The asset'), headers: entityTagHeader },
    ...errorResponsesWithBytes('UPLOAD_MISMATCH', 'ASSET_NOT_FOUND', 'PRECONDITION_FAILED', 'QUOTA_EXCEEDED'),
  },
})
previews.openapi(putPreview, async (c) => {
  const ctx = requestContext(c)
  const { bytes } = receivedBytes(c)
  const asset = await setPreview(ctx, c.req.valid('param').id, bytes, c.req.valid('header')['if-match'])
  return c.json(assetRecord(asset, await previewUrls(ctx, [asset])), 200, entityTagHeaders(asset.revision))
})

const deletePreview = createRoute({
  method: 'delete',
  path: '/{id}/preview',
  operationId: 'deletePreview',
  summary: 'Remove the preview of an asset',
  description: 'An asset without a preview stays as it is.',
  tags,
  request: { params: AssetId, headers: IfMatch },
  responses: {
    204: { description: 'The asset has no preview' },
    ...errorResponses('ASSET_NOT_FOUND', 'PRECONDITION_FAILED'),
  },
})
previews.openapi(deletePreview, async (c) => {
  await removePreview(requestContext(c), c.req.valid('param').id, c.req.valid('header')['if-match'])
  return c.body(null, 204)
})
