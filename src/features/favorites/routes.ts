import { PageQuery } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { previewUrls } from '../assets/preview-url.ts'
import { assetSummary } from '../assets/row.ts'
import { AssetId, GameAssetPage } from '../assets/schema.ts'
import { listFavorites } from './list.ts'
import { deleteFavorite, setFavorite } from './set.ts'

/** The game assets that a user likes (docs/conformance.md#favorites). */
export const router = new Router('Favorites', requestContext)

route(router, 'PUT /v1/game/assets/{id}/favorite', 'setFavorite', {
  summary: 'Add an asset to the caller’s favorites',
  description:
    'The asset is the caller’s own, or public. Adding it again keeps its place. The number of its favorites follows within a minute.',
  params: AssetId,
  answers: { 204: 'The asset is among the favorites' },
  errors: ['ASSET_NOT_FOUND', 'LIMIT_REACHED'],
  handle: (ctx, { params }) => setFavorite(ctx, params.id),
})

route(router, 'DELETE /v1/game/assets/{id}/favorite', 'deleteFavorite', {
  summary: 'Take an asset out of the caller’s favorites',
  description:
    'Also one that the caller may not read any more. ASSET_NOT_FOUND: it is not among the favorites, and the caller may not read it.',
  params: AssetId,
  answers: { 204: 'The asset is not among the favorites' },
  errors: ['ASSET_NOT_FOUND'],
  handle: (ctx, { params }) => deleteFavorite(ctx, params.id),
})

route(router, 'GET /v1/game/favorites', 'listFavorites', {
  summary: 'List the caller’s favorites, the last added first',
  description:
    'Without those that the caller may not read any more. So a page may be short or empty although more follow: read on until `next_cursor` is null.',
  query: PageQuery,
  answers: { 200: [GameAssetPage, 'A page of favorites'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listFavorites(ctx, query)
    const previews = await previewUrls(ctx, rows)
    return { assets: rows.map((row) => assetSummary(row, previews)), next_cursor }
  },
})
