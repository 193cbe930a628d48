import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { PageQuery } from '../../platform/http/fields.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import { entityTagHeaders, IfMatch } from '../../platform/http/if-match.ts'
import {
  createRouter,
  creationErrors,
  entityTagHeader,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  locationHeader,
  optionalJson,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { branchAsset } from './branch.ts'
import { createAsset } from './create.ts'
import { deleteAsset } from './delete.ts'
import { editAsset } from './edit.ts'
import { listAssets, listBranches } from './list.ts'
import { previewUrls } from './preview-url.ts'
import { readAsset } from './read.ts'
import { restoreAsset } from './restore.ts'
import { type AssetRow, assetRecord, assetSummary, versionRecord } from './row.ts'
import * as schema from './schema.ts'

/** Game assets (docs/conformance.md#45-game-assets), mounted at /v1/game/assets. */
export const gameAssets = createRouter()
const tags = ['Game assets']
const newAssetHeaders = { ...locationHeader, ...entityTagHeader }

const postAsset = createRoute({
  method: 'post',
  path: '/',
  operationId: 'createAsset',
  summary: 'Create an asset without content',
  description: 'Content comes in through `POST /v1/uploads`, which can also create the asset.',
  tags,
  middleware: jsonBody,
  request: { headers: IdempotencyKeyHeader, body: jsonRequest(schema.CreateAsset) },
  responses: {
    201: { ...json(schema.GameAsset, 'The new asset'), headers: newAssetHeaders },
    ...errorResponsesWithBody(
      ...schema.nameErrors,
      'INVALID_ASSET_TYPE',
      'INVALID_VISIBILITY',
      ...creationErrors,
      'ASSET_NOT_FOUND',
    ),
  },
})
gameAssets.openapi(postAsset, async (c) => {
  const input = c.req.valid('json')
  const ctx = requestContext(c)
  const asset = await createAsset(ctx, input, await idempotencyKey(c, input))
  return c.json(assetRecord(asset, await previewUrls(ctx, [asset])), 201, headersOf(asset))
})

const getAssets = createRoute({
  method: 'get',
  path: '/',
  operationId: 'listAssets',
  summary: 'List the caller’s assets, newest first',
  description: 'With `deleted`, the list has the deleted assets that can be restored.',
  tags,
  request: { query: schema.ListAssets },
  responses: {
    200: json(schema.GameAssetPage, 'A page of assets'),
    ...errorResponses('INVALID_ASSET_TYPE', 'INVALID_CURSOR'),
  },
})
gameAssets.openapi(getAssets, async (c) => {
  const ctx = requestContext(c)
  const { rows, next_cursor } = await listAssets(ctx, c.req.valid('query'))
  const previews = await previewUrls(ctx, rows)
  return c.json({ assets: rows.map((asset) => assetSummary(asset, previews)), next_cursor }, 200)
})

const getAsset = createRoute({
  method: 'get',
  path: '/{id}',
  operationId: 'getAsset',
  summary: 'Get an asset with its ten newest versions',
  description: 'The asset is the caller’s own, or public.',
  tags,
  request: { params: schema.AssetId },
  responses: {
    200: { ...json(schema.GameAssetWithVersions, 'The asset'), headers: entityTagHeader },
    ...errorResponses('ASSET_NOT_FOUND'),
  },
})
gameAssets.openapi(getAsset, async (c) => {
  const ctx = requestContext(c)
  const { asset, versions } = await readAsset(ctx, c.req.valid('param').id)
  const previews = await previewUrls(ctx, [asset])
  const record = { ...assetRecord(asset, previews), versions: versions.map(versionRecord) }
  return c.json(record, 200, entityTagHeaders(asset.revision))
})

const putAsset = createRoute({
  method: 'put',
  path: '/{id}',
  operationId: 'editAsset',
  summary: 'Rename an asset, or change who may see it, or its page',
  description:
    'Send at least one member. An omitted member stays as it is, a sent one is replaced as a whole.',
  tags,
  middleware: jsonBody,
  request: { params: schema.AssetId, headers: IfMatch, body: jsonRequest(schema.EditAsset) },
  responses: {
    200: { ...json(schema.GameAsset, 'The changed asset'), headers: entityTagHeader },
    ...errorResponsesWithBody(
      ...schema.nameErrors,
      'INVALID_VISIBILITY',
      'ASSET_NOT_FOUND',
      'LIMIT_REACHED',
      'PRECONDITION_FAILED',
    ),
  },
})
gameAssets.openapi(putAsset, async (c) => {
  const ctx = requestContext(c)
  const { 'if-match': expected } = c.req.valid('header')
  const asset = await editAsset(ctx, c.req.valid('param').id, c.req.valid('json'), expected)
  return c.json(assetRecord(asset, await previewUrls(ctx, [asset])), 200, entityTagHeaders(asset.revision))
})

const deleteRoute = createRoute({
  method: 'delete',
  path: '/{id}',
  operationId: 'deleteAsset',
  summary: 'Delete an asset',
  description:
    'The asset can be restored for TRASH_RETENTION_DAYS, unless it is deleted permanently. Its branches keep their content.',
  tags,
  request: { params: schema.AssetId, query: schema.DeleteAsset, headers: IfMatch },
  responses: {
    204: { description: 'The asset is deleted' },
    ...errorResponses('ASSET_NOT_FOUND', 'PRECONDITION_FAILED'),
  },
})
gameAssets.openapi(deleteRoute, async (c) => {
  const { 'if-match': expected } = c.req.valid('header')
  await deleteAsset(requestContext(c), c.req.valid('param').id, c.req.valid('query'), expected)
  return c.body(null, 204)
})

const postRestore = createRoute({
  method: 'post',
  path: '/{id}/restore',
  operationId: 'restoreAsset',
  summary: 'Restore a deleted asset',
  description:
    'Send a name when another asset has taken the old one. An asset that is not deleted stays as it is.',
  tags,
  middleware: jsonBody,
  request: { params: schema.AssetId, body: optionalJson(schema.RestoreAsset) },
  responses: {
    200: { ...json(schema.GameAsset, 'The asset'), headers: entityTagHeader },
    ...errorResponsesWithBody(...schema.nameErrors, 'ASSET_NOT_FOUND', 'LIMIT_REACHED'),
  },
})
gameAssets.openapi(postRestore, async (c) => {
  const ctx = requestContext(c)
  const asset = await restoreAsset(ctx, c.req.valid('param').id, c.req.valid('json'))
  return c.json(assetRecord(asset, await previewUrls(ctx, [asset])), 200, entityTagHeaders(asset.revision))
})

const postBranch = createRoute({
  method: 'post',
  path: '/{id}/branch',
  operationId: 'branchAsset',
  summary: 'Branch an asset: create a private asset from one of its versions',
  description:
    'The source is the caller’s own asset, or public. The two assets share the content, which counts in the caller’s quota and stays when the source is deleted. The branch begins with the description and the tags of the source.',
  tags,
  middleware: jsonBody,
  request: { params: schema.AssetId, headers: IdempotencyKeyHeader, body: jsonRequest(schema.BranchAsset) },
  responses: {
    201: { ...json(schema.Branch, 'The new asset and its first version'), headers: newAssetHeaders },
    ...errorResponsesWithBody(
      ...schema.nameErrors,
      'ASSET_NOT_FOUND',
      'NO_VERSIONS_TO_BRANCH',
      'VERSION_NOT_FOUND',
      'QUOTA_EXCEEDED',
      ...creationErrors,
    ),
  },
})
gameAssets.openapi(postBranch, async (c) => {
  const input = c.req.valid('json')
  const ctx = requestContext(c)
  const key = await idempotencyKey(c, input)
  const { asset, version } = await branchAsset(ctx, c.req.valid('param').id, input, key)
  const record = assetRecord(asset, await previewUrls(ctx, [asset]))
  return c.json({ asset: record, version: versionRecord(version) }, 201, headersOf(asset))
})

const getBranches = createRoute({
  method: 'get',
  path: '/{id}/branches',
  operationId: 'listBranches',
  summary: 'List the branches of an asset, newest first',
  description: 'The list has the public branches, except unlisted ones, and the caller’s own.',
  tags,
  request: { params: schema.AssetId, query: PageQuery },
  responses: {
    200: json(schema.BranchPage, 'A page of branches'),
    ...errorResponses('ASSET_NOT_FOUND', 'INVALID_CURSOR'),
  },
})
gameAssets.openapi(getBranches, async (c) => {
  const { id } = c.req.valid('param')
  const ctx = requestContext(c)
  const { rows, next_cursor } = await listBranches(ctx, id, c.req.valid('query'))
  const previews = await previewUrls(ctx, rows)
  return c.json({ branches: rows.map((asset) => assetSummary(asset, previews)), next_cursor }, 200)
})

/** The headers of the answer with a new asset. */
function headersOf({ id, revision }: AssetRow) {
  return { Location: `/v1/game/assets/${id}`, ...entityTagHeaders(revision) }
}
