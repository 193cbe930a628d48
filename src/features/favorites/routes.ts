import { createRoute } from '@hono/zod-openapi'
import { PageQuery } from '../../platform/http/fields.ts'
import { createRouter, errorResponses, json } from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { previewUrls } from '../assets/preview-url.ts'
import { assetSummary } from '../assets/row.ts'
import { AssetId, GameAssetPage } from '../assets/schema.ts'
import { deleteFavorite } from './delete.ts'
import { listFavorites } from './list.ts'
import { setFavorite } from './set.ts'

/** The game assets that a user likes (docs/conformance.md#favorites), mounted at /v1/game. */
export const favorites = createRouter()
const tags = ['Favorites']

const putFavorite = createRoute({
  method: 'put',
  path: '/assets/{id}/favorite',
  operationId: 'setFavorite',
  summary: 'Add an asset to the caller’s favorites',
  description:
    'The asset is the caller’s own, or public. Adding it again keeps its place. The number of its favorites follows within a minute.',
  tags,
  request: { params: AssetId },
  responses: {
    204: { description: 'The asset is among the favorites' },
    ...errorResponses('ASSET_NOT_FOUND', 'LIMIT_REACHED'),
  },
})
favorites.openapi(putFavorite, async (c) => {
  await setFavorite(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const deleteRoute = createRoute({
  method: 'delete',
  path: '/assets/{id}/favorite',
  operationId: 'deleteFavorite',
  summary: 'Take an asset out of the caller’s favorites',
  description:
    'Also one that the caller may not read any more. ASSET_NOT_FOUND: it is not among the favorites, and the caller may not read it.',
  tags,
  request: { params: AssetId },
  responses: {
    204: { description: 'The asset is not among the favorites' },
    ...errorResponses('ASSET_NOT_FOUND'),
  },
})
favorites.openapi(deleteRoute, async (c) => {
  await deleteFavorite(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const getFavorites = createRoute({
  method: 'get',
  path: '/favorites',
  operationId: 'listFavorites',
  summary: 'List the caller’s favorites, the last added first',
  description:
    'Without those that the caller may not read any more. So a page may be short or empty although more follow: read on until `next_cursor` is null.',
  tags,
  request: { query: PageQuery },
  responses: { 200: json(GameAssetPage, 'A page of favorites'), ...errorResponses('INVALID_CURSOR') },
})
favorites.openapi(getFavorites, async (c) => {
  const ctx = requestContext(c)
  const { rows, next_cursor } = await listFavorites(ctx, c.req.valid('query'))
  const previews = await previewUrls(ctx, rows)
  return c.json({ assets: rows.map((row) => assetSummary(row, previews)), next_cursor }, 200)
})
