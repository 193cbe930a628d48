import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route, withETag } from '../../platform/http/route.ts'
import { browseAssets } from './list.ts'
import { previewUrls } from './preview-url.ts'
import { readPublicAsset } from './read.ts'
import { GetUpdates, Updates } from './release-schema.ts'
import { assetRecord, assetSummary, versionRecord } from './row.ts'
import * as schema from './schema.ts'
import { findUpdates } from './updates.ts'
import { versionUrls } from './urls.ts'
import { AssetUrls, GetAssetUrls } from './version-schema.ts'

/** The public assets, for every signed-in user (docs/conformance.md#game-assets). */
export const router = new Router('Public game assets', requestContext)

route(router, 'GET /v1/game/public', 'browseAssets', {
  summary: 'Browse the public assets: by type, tags and owner, in three orders; or search them by name',
  description:
    'A page may be short or empty although more assets follow: read on until `next_cursor` is null. Assets that are not `listed` are left out.',
  query: schema.BrowseAssets,
  answers: { 200: [schema.GameAssetPage, 'A page of public assets'] },
  errors: ['INVALID_ASSET_TYPE'],
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await browseAssets(ctx, query)
    const previews = await previewUrls(ctx, rows)
    return { assets: rows.map((asset) => assetSummary(asset, previews)), next_cursor }
  },
})

route(router, 'GET /v1/game/public/{type}/{id}', 'getPublicAsset', {
  summary: 'Get a public asset with its latest version',
  description:
    'As of the channel `live`, for its owner too. An asset that is private, deleted or blocked is not found, for its owner either.',
  params: schema.PublicAssetId,
  answers: { 200: [schema.GameAssetWithVersions, 'The asset', 'ETag'] },
  errors: ['INVALID_ASSET_TYPE', 'ASSET_NOT_FOUND'],
  handle: async (ctx, { params }) => {
    const { asset, versions } = await readPublicAsset(ctx, params.type, params.id)
    const previews = await previewUrls(ctx, [asset])
    const record = { ...assetRecord(asset, previews), versions: versions.map(versionRecord) }
    return withETag(record, asset.revision)
  },
})

route(router, 'POST /v1/game/urls', 'getAssetUrls', {
  tag: 'Game assets',
  summary: 'Get URLs to download the content of up to 100 assets',
  description:
    'Each item has the answer of a request for its URL alone: the URL, or the code of the error. Without `version`, the URL is that of the version that players get, or of the channel’s; with `build`, of the highest one up to it that the build can read.',
  onBehalf: 'reads',
  body: GetAssetUrls,
  answers: { 200: [AssetUrls, 'The URLs'] },
  handle: async (ctx, { body }) => ({ urls: await versionUrls(ctx, body.items) }),
})

route(router, 'POST /v1/game/updates', 'getUpdates', {
  tag: 'Game assets',
  summary: 'Ask which of up to 100 assets have another version than the caller has',
  description:
    'For each item what the caller would get now: what players get, or what the channel of the key serves, and with `build` the highest version up to it that the build can read. `version` is null when that is what the caller has.',
  onBehalf: 'reads',
  body: GetUpdates,
  answers: { 200: [Updates, 'The updates'] },
  handle: async (ctx, { body }) => ({ updates: await findUpdates(ctx, body) }),
})
