import { createRoute } from '@hono/zod-openapi'
import { AssetId } from '../assets/schema.ts'
import { requireScope } from '../auth/scope.ts'
import { eraseUser } from '../erasure/erase.ts'
import { FileId } from '../files/schema.ts'
import { jsonBody } from '../http/body.ts'
import { createRouter, errorResponses, errorResponsesWithBody, json, optionalJson } from '../http/openapi.ts'
import { requestContext } from '../http/request-context.ts'
import { OfUser } from '../quota/schema.ts'
import { blockAsset, blockFile, unblockAsset, unblockFile } from './block.ts'
import { listBlocked } from './list.ts'
import * as schema from './schema.ts'

/** What the decisions add for those who run the service, mounted at /v1. */
export const operators = createRouter()

const moderators = {
  tags: ['Operators'],
  security: [{ bearer: ['content:moderate'] }],
  middleware: requireScope('content:moderate'),
}

const putAssetBlock = createRoute({
  method: 'put',
  path: '/game/assets/{id}/block',
  operationId: 'blockAsset',
  summary: 'Block an asset',
  description: 'From then on it exists for its owner only. Takes a token with the scope `content:moderate`.',
  ...moderators,
  middleware: [moderators.middleware, jsonBody],
  request: { params: AssetId, body: optionalJson(schema.BlockReason) },
  responses: {
    204: { description: 'It is blocked' },
    ...errorResponsesWithBody('FORBIDDEN', 'ASSET_NOT_FOUND'),
  },
})
operators.openapi(putAssetBlock, async (c) => {
  await blockAsset(requestContext(c), c.req.valid('param').id, c.req.valid('json').reason)
  return c.body(null, 204)
})

const deleteAssetBlock = createRoute({
  method: 'delete',
  path: '/game/assets/{id}/block',
  operationId: 'unblockAsset',
  summary: 'Lift the block of an asset',
  description: 'Takes a token with the scope `content:moderate`.',
  ...moderators,
  request: { params: AssetId },
  responses: { 204: { description: 'It is not blocked' }, ...errorResponses('FORBIDDEN', 'ASSET_NOT_FOUND') },
})
operators.openapi(deleteAssetBlock, async (c) => {
  await unblockAsset(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const putFileBlock = createRoute({
  method: 'put',
  path: '/files/{id}/block',
  operationId: 'blockFile',
  summary: 'Block a file, or a folder with all that it holds',
  description: 'From then on it exists for its owner only. Takes a token with the scope `content:moderate`.',
  ...moderators,
  middleware: [moderators.middleware, jsonBody],
  request: { params: FileId, body: optionalJson(schema.BlockReason) },
  responses: {
    204: { description: 'It is blocked' },
    ...errorResponsesWithBody('FORBIDDEN', 'FILE_NOT_FOUND'),
  },
})
operators.openapi(putFileBlock, async (c) => {
  await blockFile(requestContext(c), c.req.valid('param').id, c.req.valid('json').reason)
  return c.body(null, 204)
})

const deleteFileBlock = createRoute({
  method: 'delete',
  path: '/files/{id}/block',
  operationId: 'unblockFile',
  summary: 'Lift the block of a file or folder',
  description: 'Takes a token with the scope `content:moderate`.',
  ...moderators,
  request: { params: FileId },
  responses: { 204: { description: 'It is not blocked' }, ...errorResponses('FORBIDDEN', 'FILE_NOT_FOUND') },
})
operators.openapi(deleteFileBlock, async (c) => {
  await unblockFile(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const getBlocked = createRoute({
  method: 'get',
  path: '/blocked',
  operationId: 'listBlocked',
  summary: 'List what is blocked, the latest block first',
  description:
    'What is blocked by a folder above it is not listed by itself. A page may be shorter than asked for. Takes a token with the scope `content:moderate`.',
  ...moderators,
  request: { query: schema.ListBlocked },
  responses: {
    200: json(schema.BlockedList, 'A page of blocked things'),
    ...errorResponses('FORBIDDEN', 'INVALID_CURSOR'),
  },
})
operators.openapi(getBlocked, async (c) => {
  const { rows, next_cursor } = await listBlocked(requestContext(c), c.req.valid('query'))
  return c.json({ blocked: rows, next_cursor }, 200)
})

const deleteUser = createRoute({
  method: 'delete',
  path: '/users/{user_id}',
  operationId: 'eraseUser',
  summary: 'Erase a user',
  description:
    'From then on nothing of theirs can be read, and their own token opens an empty account. The scheduled job removes what a large account leaves. Branches that others made keep their content. Takes a token with the scope `users:erase`.',
  tags: ['Operators'],
  security: [{ bearer: ['users:erase'] }],
  middleware: requireScope('users:erase'),
  request: { params: OfUser },
  responses: { 202: { description: 'It is under way' }, ...errorResponses('FORBIDDEN') },
})
operators.openapi(deleteUser, async (c) => {
  await eraseUser(requestContext(c), c.req.valid('param').user_id)
  return c.body(null, 202)
})
