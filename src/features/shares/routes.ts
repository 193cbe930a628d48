import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { PageQuery } from '../../platform/http/fields.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import {
  createRouter,
  creationErrors,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { DownloadUrl, FileId } from '../files/schema.ts'
import { createShare } from './create.ts'
import { listSharedWith, listSharesOf, sharedUrl } from './read.ts'
import { leaveSharesOf, revokeShare } from './revoke.ts'
import { sharedWithMeRecord, shareRecord } from './row.ts'
import * as schema from './schema.ts'

/** Shares (docs/conformance.md#43-shares), mounted at /v1. */
export const shares = createRouter()
const tags = ['Shares']

const getSharesOf = createRoute({
  method: 'get',
  path: '/files/{id}/shares',
  operationId: 'listSharesOfFile',
  summary: 'List the shares of one of the caller’s files',
  description: 'The list includes shares that expired within the last 30 days.',
  tags,
  request: { params: FileId },
  responses: { 200: json(schema.ShareList, 'All shares, oldest first'), ...errorResponses('FILE_NOT_FOUND') },
})
shares.openapi(getSharesOf, async (c) => {
  const rows = await listSharesOf(requestContext(c), c.req.valid('param').id)
  return c.json(rows.map(shareRecord), 200)
})

const postShare = createRoute({
  method: 'post',
  path: '/files/{id}/shares',
  operationId: 'createShare',
  summary: 'Share a file with a user, or change how it is shared with them',
  description:
    'A file has one share for each user: sharing again replaces permission and expiry, and keeps the id. With NOTIFY_SHARES=on a new share notifies its grantee, who has opened the inbox before, with a notification `file.shared` whose data is `{ share_id, file_id, owner_id, name }`.',
  tags,
  middleware: jsonBody,
  request: { params: FileId, headers: IdempotencyKeyHeader, body: jsonRequest(schema.CreateShare) },
  responses: {
    201: json(schema.Share, 'The share'),
    ...errorResponsesWithBody(
      'SHARE_INVALID_GRANTEE',
      'FILE_NOT_FOUND',
      'FILE_IS_FOLDER',
      'FILE_NOT_READY',
      ...creationErrors,
      'SHARE_NOT_FOUND',
    ),
  },
})
shares.openapi(postShare, async (c) => {
  const input = c.req.valid('json')
  const key = await idempotencyKey(c, input)
  const share = await createShare(requestContext(c), c.req.valid('param').id, input, key)
  return c.json(shareRecord(share), 201)
})

const getShares = createRoute({
  method: 'get',
  path: '/shares',
  operationId: 'listSharedWithMe',
  summary: 'List the files that are shared with the caller',
  description:
    'Newest first, without expired shares. A file in its owner’s trash is listed with `in_trash`, and can’t be downloaded.',
  tags,
  request: { query: PageQuery },
  responses: { 200: json(schema.SharedWithMePage, 'A page of shares'), ...errorResponses('INVALID_CURSOR') },
})
shares.openapi(getShares, async (c) => {
  const { rows, next_cursor } = await listSharedWith(requestContext(c), c.req.valid('query'))
  return c.json({ shares: rows.map(sharedWithMeRecord), next_cursor }, 200)
})

const deleteSharesOf = createRoute({
  method: 'delete',
  path: '/shares',
  operationId: 'leaveSharesOfOwner',
  summary: 'Leave all shares of one owner with the caller',
  description: 'Answers 204 even if there are none. Files that the owner shares later are listed again.',
  tags,
  request: { query: schema.SharesOf },
  responses: { 204: { description: 'The shares are deleted' }, ...errorResponses() },
})
shares.openapi(deleteSharesOf, async (c) => {
  await leaveSharesOf(requestContext(c), c.req.valid('query').owner_id)
  return c.body(null, 204)
})

const deleteShare = createRoute({
  method: 'delete',
  path: '/shares/{id}',
  operationId: 'revokeShare',
  summary: 'Revoke a share, or leave it as its grantee',
  description: 'Download URLs that were signed before stay valid until they expire.',
  tags,
  request: { params: schema.ShareId },
  responses: { 204: { description: 'The share is deleted' }, ...errorResponses('SHARE_NOT_FOUND') },
})
shares.openapi(deleteShare, async (c) => {
  await revokeShare(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const getSharedUrl = createRoute({
  method: 'get',
  path: '/shares/{id}/url',
  operationId: 'getSharedUrl',
  summary: 'Get a URL to download a shared file, as its grantee',
  description: 'The URL does not outlive the share.',
  tags,
  request: { params: schema.ShareId },
  responses: {
    200: json(DownloadUrl, 'The URL'),
    ...errorResponses('SHARE_NOT_FOUND', 'SHARE_ACCESS_DENIED', 'FILE_NOT_FOUND'),
  },
})
shares.openapi(getSharedUrl, async (c) =>
  c.json(await sharedUrl(requestContext(c), c.req.valid('param').id), 200),
)
