import { PageQuery } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { created, Reply, Router, route, withETag } from '../../platform/http/route.ts'
import { branchAsset } from './branch.ts'
import { createAsset } from './create.ts'
import { deleteAsset } from './delete.ts'
import { editAsset } from './edit.ts'
import { listAssets, listBranches } from './list.ts'
import { previewUrls } from './preview-url.ts'
import { readAsset } from './read.ts'
import { restoreAsset } from './restore.ts'
import { assetRecord, assetSummary, versionRecord } from './row.ts'
import * as schema from './schema.ts'
import { ChannelQuery } from './version-schema.ts'

/** Game assets (docs/conformance.md#game-assets). */
export const router = new Router('Game assets', requestContext)

route(router, 'POST /v1/game/assets', 'createAsset', {
  summary: 'Create an asset without content',
  description: 'Content comes in through `POST /v1/uploads`, which can also create the asset.',
  idempotent: true,
  body: schema.CreateAsset,
  answers: { 201: [schema.GameAsset, 'The new asset', 'Location', 'ETag'] },
  errors: [
    ...schema.nameErrors,
    'INVALID_ASSET_TYPE',
    'INVALID_VISIBILITY',
    'LIMIT_REACHED',
    'ASSET_NOT_FOUND',
  ],
  handle: async (ctx, { body, key }) => {
    const asset = await createAsset(ctx, body, key)
    const record = assetRecord(asset, await previewUrls(ctx, [asset]))
    return created(record, `/v1/game/assets/${asset.id}`, asset.revision)
  },
})

route(router, 'GET /v1/game/assets', 'listAssets', {
  summary: 'List the caller’s assets, newest first',
  description: 'With `deleted`, the list has the deleted assets that can be restored.',
  query: schema.ListAssets,
  answers: { 200: [schema.GameAssetPage, 'A page of assets'] },
  errors: ['INVALID_ASSET_TYPE'],
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listAssets(ctx, query)
    const previews = await previewUrls(ctx, rows)
    return { assets: rows.map((asset) => assetSummary(asset, previews)), next_cursor }
  },
})

route(router, 'GET /v1/game/assets/{id}', 'getAsset', {
  summary: 'Get an asset with its ten newest versions',
  description:
    'The asset is the caller’s own, or public. Others than its owner get it as of the channel `live`, if there is one. With `channel_key` it is as of that channel, and has no `ETag`.',
  params: schema.AssetId,
  query: ChannelQuery,
  answers: { 200: [schema.GameAssetWithVersions, 'The asset', 'ETag?'] },
  errors: ['ASSET_NOT_FOUND', 'CHANNEL_NOT_FOUND'],
  handle: async (ctx, { params, query: { channel_key } }) => {
    const { asset, versions } = await readAsset(ctx, params.id, channel_key)
    const previews = await previewUrls(ctx, [asset])
    const record = { ...assetRecord(asset, previews), versions: versions.map(versionRecord) }
    return channel_key === undefined ? withETag(record, asset.revision) : new Reply(200, record, {})
  },
})

route(router, 'PUT /v1/game/assets/{id}', 'editAsset', {
  summary: 'Rename an asset, or change who may see it, or its page',
  description:
    'Send at least one member. An omitted member stays as it is, a sent one is replaced as a whole.',
  params: schema.AssetId,
  ifMatch: true,
  body: schema.EditAsset,
  answers: { 200: [schema.GameAsset, 'The changed asset', 'ETag'] },
  errors: [...schema.nameErrors, 'INVALID_VISIBILITY', 'ASSET_NOT_FOUND', 'LIMIT_REACHED', 'RATING_LOCKED'],
  handle: async (ctx, { params, body, expected }) => {
    const asset = await editAsset(ctx, params.id, body, expected)
    return withETag(assetRecord(asset, await previewUrls(ctx, [asset])), asset.revision)
  },
})

route(router, 'DELETE /v1/game/assets/{id}', 'deleteAsset', {
  summary: 'Delete an asset',
  description:
    'The asset can be restored for TRASH_RETENTION_DAYS, unless it is deleted permanently. Its branches keep their content.',
  params: schema.AssetId,
  query: schema.DeleteAsset,
  ifMatch: true,
  answers: { 204: 'The asset is deleted' },
  errors: ['ASSET_NOT_FOUND'],
  handle: (ctx, { params, query, expected }) => deleteAsset(ctx, params.id, query, expected),
})

route(router, 'POST /v1/game/assets/{id}/restore', 'restoreAsset', {
  summary: 'Restore a deleted asset',
  description:
    'Send a name when another asset has taken the old one. An asset that is not deleted stays as it is.',
  params: schema.AssetId,
  optionalBody: schema.RestoreAsset,
  answers: { 200: [schema.GameAsset, 'The asset', 'ETag'] },
  errors: [...schema.nameErrors, 'ASSET_NOT_FOUND', 'LIMIT_REACHED'],
  handle: async (ctx, { params, body }) => {
    const asset = await restoreAsset(ctx, params.id, body)
    return withETag(assetRecord(asset, await previewUrls(ctx, [asset])), asset.revision)
  },
})

route(router, 'POST /v1/game/assets/{id}/branch', 'branchAsset', {
  summary: 'Branch an asset: create a private asset from one of its versions',
  description:
    'The source is the caller’s own asset, or public. The two assets share the content, which counts in the caller’s quota and stays when the source is deleted. The branch begins with the description and the tags of the source, and with its rating at least.',
  params: schema.AssetId,
  idempotent: true,
  body: schema.BranchAsset,
  answers: { 201: [schema.Branch, 'The new asset and its first version', 'Location', 'ETag'] },
  errors: [
    ...schema.nameErrors,
    'ASSET_NOT_FOUND',
    'CHANNEL_NOT_FOUND',
    'NO_VERSIONS_TO_BRANCH',
    'VERSION_NOT_FOUND',
    'QUOTA_EXCEEDED',
    'LIMIT_REACHED',
  ],
  handle: async (ctx, { params, body, key }) => {
    const { asset, version } = await branchAsset(ctx, params.id, body, key)
    const record = assetRecord(asset, await previewUrls(ctx, [asset]))
    const branch = { asset: record, version: versionRecord(version) }
    return created(branch, `/v1/game/assets/${asset.id}`, asset.revision)
  },
})

route(router, 'GET /v1/game/assets/{id}/branches', 'listBranches', {
  summary: 'List the branches of an asset, newest first',
  description: 'The list has the public branches, except unlisted ones, and the caller’s own.',
  params: schema.AssetId,
  query: PageQuery,
  answers: { 200: [schema.BranchPage, 'A page of branches'] },
  errors: ['ASSET_NOT_FOUND'],
  handle: async (ctx, { params, query }) => {
    const { rows, next_cursor } = await listBranches(ctx, params.id, query)
    const previews = await previewUrls(ctx, rows)
    return { branches: rows.map((asset) => assetSummary(asset, previews)), next_cursor }
  },
})
