import { AssetId } from '../../features/assets/schema.ts'
import { FileId } from '../../features/files/schema.ts'
import { concerns } from '../../platform/http/audited.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { blockAsset, blockFile, unblockAsset, unblockFile } from './block.ts'
import { blockedRecord, listBlocked } from './list.ts'
import * as schema from './schema.ts'

/** Blocking files and assets (docs/conformance.md#for-those-who-run-it). */
export const router = new Router('Operators', requestContext)

route(router, 'PUT /v1/game/assets/{id}/block', 'blockAsset', {
  summary: 'Block an asset',
  description: 'Hides it from everybody except its owner.',
  scope: 'content:moderate',
  audit: ({ body }) => ({ reason: body.reason ?? null }),
  params: AssetId,
  optionalBody: schema.BlockReason,
  answers: { 204: 'It is blocked' },
  errors: ['ASSET_NOT_FOUND'],
  handle: async (ctx, { params, body }, c) => concerns(c, await blockAsset(ctx, params.id, body)),
})

route(router, 'DELETE /v1/game/assets/{id}/block', 'unblockAsset', {
  summary: 'Unblock an asset',
  scope: 'content:moderate',
  params: AssetId,
  answers: { 204: 'It is not blocked' },
  errors: ['ASSET_NOT_FOUND'],
  handle: async (ctx, { params }, c) => concerns(c, await unblockAsset(ctx, params.id)),
})

route(router, 'PUT /v1/files/{id}/block', 'blockFile', {
  summary: 'Block a file, or a folder with everything in it',
  description: 'Hides it from everybody except its owner.',
  scope: 'content:moderate',
  audit: ({ body }) => ({ reason: body.reason ?? null }),
  params: FileId,
  optionalBody: schema.BlockReason,
  answers: { 204: 'It is blocked' },
  errors: ['FILE_NOT_FOUND'],
  handle: async (ctx, { params, body }, c) => concerns(c, await blockFile(ctx, params.id, body)),
})

route(router, 'DELETE /v1/files/{id}/block', 'unblockFile', {
  summary: 'Unblock a file or folder',
  scope: 'content:moderate',
  params: FileId,
  answers: { 204: 'It is not blocked' },
  errors: ['FILE_NOT_FOUND'],
  handle: async (ctx, { params }, c) => concerns(c, await unblockFile(ctx, params.id)),
})

route(router, 'GET /v1/blocked', 'listBlocked', {
  summary: 'List blocked items, the latest block first',
  description:
    'An item that is only in a blocked folder is not listed. A page may be shorter than its limit.',
  scope: 'content:moderate',
  query: schema.ListBlocked,
  answers: { 200: [schema.BlockedPage, 'A page of blocked items'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listBlocked(ctx, query)
    return { blocked: rows.map(blockedRecord), next_cursor }
  },
})
