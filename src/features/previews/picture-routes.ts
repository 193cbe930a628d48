import { pictureAnswers, type ShownPicture, sendPicture } from '../../platform/http/picture.ts'
import { publicContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { previewTypes } from '../../platform/pictures/types.ts'
import { findPreview, type PreviewRow } from './picture.ts'
import { PreviewPath, PreviewQuery } from './schema.ts'

/** The previews of game assets, for whoever has their URL (docs/conformance.md#game-assets). */
export const router = new Router('Game assets', publicContext)

route(router, 'GET /pictures/assets/{asset_id}/{preview_id}', 'getPreview', {
  summary: 'Get the preview of an asset',
  description:
    'Needs no token: path and query are those of a `preview_url`. 404 as soon as the asset is deleted or blocked or has another preview, and without a valid signature when the asset is not public.',
  params: PreviewPath,
  query: PreviewQuery,
  answers: pictureAnswers('preview', previewTypes),
  errors: ['NOT_FOUND'],
  handle: async (ctx, { params, query }, c) => {
    const { asset_id, preview_id: object_key } = params
    const preview = await findPreview(ctx, asset_id, object_key, query)
    return sendPicture(c, ctx, preview && shown(object_key, preview))
  },
})

/** A preview as `sendPicture` takes it. Only the preview of a public asset is for shared caches. */
function shown(object_key: string, { preview_type, preview_bytes, is_listed }: PreviewRow): ShownPicture {
  const caching = is_listed === 1 ? 'public' : 'private'
  return { object_key, mime_type: preview_type, size_bytes: preview_bytes, caching }
}
