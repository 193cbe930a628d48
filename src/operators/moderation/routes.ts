import { createRoute } from '@hono/zod-openapi'
import { AssetId } from '../../features/assets/schema.ts'
import { FileId } from '../../features/files/schema.ts'
import { jsonBody } from '../../platform/http/body.ts'
import {
  createRouter,
  errorResponses,
  errorResponsesWithBody,
  json,
  operatorRoute,
  optionalJson,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { blockAsset, blockFile, unblockAsset, unblockFile } from './block.ts'
import { blockedRecord, listBlocked } from './list.ts'
import * as schema from './schema.ts'

/** Blocking files and assets (docs/conformance.md#for-those-who-run-it), mounted at /v1. */
export const moderation = createRouter()

const operator = operatorRoute('content:moderate')
const requiresScope = 'Requires a token with the scope `content:moderate`.'

const putAssetBlock = createRoute({
  method: 'put',
  path: '/game/assets/{id}/block',
  operationId: 'blockAsset',
  summary: 'Block an asset',
  description: `Hides it from everybody except its owner. ${requiresScope}`,
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { params: AssetId, body: optionalJson(schema.BlockReason) },
  responses: {
    204: { description: 'It is blocked' },
    ...errorResponsesWithBody('FORBIDDEN', 'ASSET_NOT_FOUND'),
  },
})
moderation.openapi(putAssetBlock, async (c) => {
  await blockAsset(requestContext(c), c.req.valid('param').id, c.req.valid('json').reason)
  return c.body(null, 204)
})

const deleteAssetBlock = createRoute({
  method: 'delete',
  path: '/game/assets/{id}/block',
  operationId: 'unblockAsset',
  summary: 'Unblock an asset',
  description: requiresScope,
  ...operator,
  request: { params: AssetId },
  responses: { 204: { description: 'It is not blocked' }, ...errorResponses('FORBIDDEN', 'ASSET_NOT_FOUND') },
})
moderation.openapi(deleteAssetBlock, async (c) => {
  await unblockAsset(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const putFileBlock = createRoute({
  method: 'put',
  path: '/files/{id}/block',
  operationId: 'blockFile',
  summary: 'Block a file, or a folder with everything in it',
  description: `Hides it from everybody except its owner. ${requiresScope}`,
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { params: FileId, body: optionalJson(schema.BlockReason) },
  responses: {
    204: { description: 'It is blocked' },
    ...errorResponsesWithBody('FORBIDDEN', 'FILE_NOT_FOUND'),
  },
})
moderation.openapi(putFileBlock, async (c) => {
  await blockFile(requestContext(c), c.req.valid('param').id, c.req.valid('json').reason)
  return c.body(null, 204)
})

const deleteFileBlock = createRoute({
  method: 'delete',
  path: '/files/{id}/block',
  operationId: 'unblockFile',
  summary: 'Unblock a file or folder',
  description: requiresScope,
  ...operator,
  request: { params: FileId },
  responses: { 204: { description: 'It is not blocked' }, ...errorResponses('FORBIDDEN', 'FILE_NOT_FOUND') },
})
moderation.openapi(deleteFileBlock, async (c) => {
  await unblockFile(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const getBlocked = createRoute({
  method: 'get',
  path: '/blocked',
  operationId: 'listBlocked',
  summary: 'List blocked items, the latest block first',
  description: `An item that is only in a blocked folder is not listed. A page may be shorter than its limit. ${requiresScope}`,
  ...operator,
  request: { query: schema.ListBlocked },
  responses: {
    200: json(schema.BlockedPage, 'A page of blocked items'),
    ...errorResponses('FORBIDDEN', 'INVALID_CURSOR'),
  },
})
moderation.openapi(getBlocked, async (c) => {
  const { rows, next_cursor } = await listBlocked(requestContext(c), c.req.valid('query'))
  return c.json({ blocked: rows.map(blockedRecord), next_cursor }, 200)
})
