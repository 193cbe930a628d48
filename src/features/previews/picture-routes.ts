import { z } from '@hono/zod-openapi'
import { Id } from '../../platform/http/fields.ts'
import { pictureAnswers, type ShownPicture, sendPicture } from '../../platform/http/picture.ts'
import { publicContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { previewTypes } from '../../platform/pictures/formats.ts'
import { findPreview, type PreviewRow } from './preview.ts'

/** The path of a preview. */
const PreviewPath = z.object({
  asset_id: Id.openapi({ param: { name: 'asset_id', in: 'path' } }),
  preview_id: Id.openapi({ param: { name: 'preview_id', in: 'path' } }),
})

/** The query of the URL of a preview. A value that the service did not issue is a wrong signature. */
const PreviewQuery = z.object({
  expires: z
    .string()
    .optional()
    .openapi({ description: 'Until when the signature is valid, in Unix seconds' }),
  signature: z.string().optional().openapi({
    description: 'Of the URL of an asset that is not public. Ignored once the asset is public',
  }),
})

/** The previews of game assets, for whoever has their URL (docs/conformance.md#previews). */
export const router = new Router('Game assets', publicContext)

route(router, 'GET /pictures/assets/{asset_id}/{preview_id}', 'getPreview', {
  summary: 'Get the preview of an asset',
  description:
    'Needs no token: path and query are those of a `preview_url`. 404 as soon as the asset is deleted or blocked or has another preview, and without a valid signature when the asset is not public. The edge and browsers keep the preview of a public asset: one that has ended leaves the edge within 20 seconds as a rule, and every cache within 5 minutes.',
  params: PreviewPath,
  query: PreviewQuery,
  answers: pictureAnswers('preview', previewTypes),
  errors: ['NOT_FOUND'],
  handle: async (ctx, { params, query }, c) => {
    const { asset_id, preview_id: object_key } = params
    const preview = await findPreview(ctx, asset_id, object_key, query)
    return sendPicture(c, ctx, preview && shown(asset_id, object_key, preview))
  },
})

/** A preview as `sendPicture` takes it. Only the preview of a public asset is for shared caches. */
function shown(asset_id: string, object_key: string, preview: PreviewRow): ShownPicture {
  const { owner_id, preview_type, preview_bytes, is_listed } = preview
  const tags = [
    ['asset', asset_id],
    ['owner', owner_id],
  ] as const
  return {
    object_key,
    mime_type: preview_type,
    size_bytes: preview_bytes,
    tags: is_listed === 1 ? tags : null,
  }
}
