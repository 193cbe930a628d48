import { createRoute } from '@hono/zod-openapi'
import { entityTagHeaders } from '../../platform/http/if-match.ts'
import { createRouter, entityTagHeader, errorResponses, json } from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { browseAssets } from './list.ts'
import { previewUrls } from './preview-url.ts'
import { readPublicAsset } from './read.ts'
import { assetRecord, assetSummary, versionRecord } from './row.ts'
import * as schema from './schema.ts'

/** The public assets, for every signed-in user (docs/conformance.md#45-game-assets), mounted at /v1/game/public. */
export const publicAssets = createRouter()
const tags = ['Public game assets']

const getPublicAssets = createRoute({
  method: 'get',
  path: '/',
  operationId: 'browseAssets',
  summary: 'Browse the public assets: by type, tags and owner, in three orders; or search them by name',
  description:
    'A page may be short or empty although more assets follow: read on until `next_cursor` is null. Assets that are not `listed` are left out.',
  tags,
  request: { query: schema.BrowseAssets },
  responses: {
    200: json(schema.GameAssetPage, 'A page of public assets'),
    ...errorResponses('INVALID_ASSET_TYPE', 'INVALID_CURSOR'),
  },
})
publicAssets.openapi(getPublicAssets, async (c) => {
  const ctx = requestContext(c)
  const { rows, next_cursor } = await browseAssets(ctx, c.req.valid('query'))
  const previews = await previewUrls(ctx, rows)
  return c.json({ assets: rows.map((asset) => assetSummary(asset, previews)), next_cursor }, 200)
})

const getPublicAsset = createRoute({
  method: 'get',
  path: '/{type}/{id}',
  operationId: 'getPublicAsset',
  summary: 'Get a public asset with its latest version',
  description: 'An asset that is private, deleted or blocked is not found, for its owner either.',
  tags,
  request: { params: schema.PublicAssetId },
  responses: {
    200: { ...json(schema.GameAssetWithVersions, 'The asset'), headers: entityTagHeader },
    ...errorResponses('INVALID_ASSET_TYPE', 'ASSET_NOT_FOUND'),
  },
})
publicAssets.openapi(getPublicAsset, async (c) => {
  const { type, id } = c.req.valid('param')
  const ctx = requestContext(c)
  const { asset, versions } = await readPublicAsset(ctx, type, id)
  const previews = await previewUrls(ctx, [asset])
  const record = { ...assetRecord(asset, previews), versions: versions.map(versionRecord) }
  return c.json(record, 200, entityTagHeaders(asset.revision))
})
