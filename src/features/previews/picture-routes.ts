import { createRoute } from '@hono/zod-openapi'
import { createRouter, publicErrorResponses } from '../../platform/http/openapi.ts'
import { type ShownPicture, sendPicture } from '../../platform/http/picture.ts'
import { publicContext } from '../../platform/http/request-context.ts'
import { previewTypes } from '../../platform/pictures/types.ts'
import { findPreview, type PreviewRow } from './preview.ts'
import { PreviewPath, PreviewQuery } from './schema.ts'

/** The previews of game assets, for whoever has their URL (docs/conformance.md#game-assets), mounted at /pictures. */
export const previewPictures = createRouter()

const schema = { type: 'string', format: 'binary' } as const
const headers = { ETag: { description: 'For If-None-Match', schema: { type: 'string' } } } as const

const getPreview = createRoute({
  method: 'get',
  path: '/assets/{asset_id}/{preview_id}',
  operationId: 'getPreview',
  summary: 'Get the preview of an asset',
  description:
    'Needs no token: path and query are those of a `preview_url`. 404 as soon as the asset is deleted or blocked or has another preview, and without a valid signature when the asset is not public.',
  tags: ['Game assets'],
  security: [],
  request: { params: PreviewPath, query: PreviewQuery },
  responses: {
    200: {
      description: 'The preview',
      headers,
      content: Object.fromEntries(previewTypes.map((type) => [type, { schema }])),
    },
    304: { description: 'The client has the preview: If-None-Match names it', headers },
    ...publicErrorResponses('NOT_FOUND'),
  },
})
previewPictures.openapi(getPreview, async (c) => {
  const { asset_id, preview_id: object_key } = c.req.valid('param')
  const ctx = publicContext(c)
  const preview = await findPreview(ctx, asset_id, object_key, c.req.valid('query'))
  return sendPicture(c, ctx, preview && shown(object_key, preview))
})

/** A preview as `sendPicture` takes it. Only the preview of a public asset is for shared caches. */
function shown(object_key: string, { preview_type, preview_bytes, is_listed }: PreviewRow): ShownPicture {
  const caching = is_listed === 1 ? 'public' : 'private'
  return { object_key, mime_type: preview_type, size_bytes: preview_bytes, caching }
}
