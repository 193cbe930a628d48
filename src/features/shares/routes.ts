import { PageQuery } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { created, Router, route } from '../../platform/http/route.ts'
import { DownloadUrl, FileId } from '../files/schema.ts'
import { createShare } from './create.ts'
import { listSharedWith, listSharesOf, sharedUrl } from './read.ts'
import { leaveSharesOf, revokeShare } from './revoke.ts'
import { sharedWithMeRecord, shareRecord } from './row.ts'
import * as schema from './schema.ts'

/** Shares (docs/conformance.md#shares). */
export const router = new Router('Shares', requestContext)

route(router, 'GET /v1/files/{id}/shares', 'listSharesOfFile', {
  summary: 'List the shares of one of the caller’s files',
  description: 'The list includes shares that expired within the last 30 days.',
  params: FileId,
  answers: { 200: [schema.ShareList, 'All shares, oldest first'] },
  errors: ['FILE_NOT_FOUND'],
  handle: async (ctx, { params }) => {
    const rows = await listSharesOf(ctx, params.id)
    return rows.map(shareRecord)
  },
})

route(router, 'POST /v1/files/{id}/shares', 'createShare', {
  summary: 'Share a file with a user, or change how it is shared with them',
  description:
    'A file has one share for each user: sharing again replaces permission and expiry, and keeps the id. With NOTIFY_SHARES=on a new share notifies its grantee, who has opened the inbox before, with a notification `file.shared` whose data is `{ share_id, file_id, owner_id, name }`.',
  params: FileId,
  idempotent: true,
  body: schema.CreateShare,
  answers: { 201: [schema.Share, 'The share'] },
  errors: [
    'SHARE_INVALID_GRANTEE',
    'FILE_NOT_FOUND',
    'FILE_IS_FOLDER',
    'FILE_NOT_READY',
    'LIMIT_REACHED',
    'SHARE_NOT_FOUND',
  ],
  handle: async (ctx, { params, body, key }) => {
    const share = await createShare(ctx, params.id, body, key)
    return created(shareRecord(share))
  },
})

route(router, 'GET /v1/shares', 'listSharedWithMe', {
  summary: 'List the files that are shared with the caller',
  description:
    'Newest first, without expired shares. A file in its owner’s trash is listed with `in_trash`, and can’t be downloaded.',
  query: PageQuery,
  answers: { 200: [schema.SharedWithMePage, 'A page of shares'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listSharedWith(ctx, query)
    return { shares: rows.map(sharedWithMeRecord), next_cursor }
  },
})

route(router, 'DELETE /v1/shares', 'leaveSharesOfOwner', {
  summary: 'Leave all shares of one owner with the caller',
  description: 'Answers 204 even if there are none. Files that the owner shares later are listed again.',
  query: schema.SharesOf,
  answers: { 204: 'The shares are deleted' },
  handle: (ctx, { query }) => leaveSharesOf(ctx, query.owner_id),
})

route(router, 'DELETE /v1/shares/{id}', 'revokeShare', {
  summary: 'Revoke a share, or leave it as its grantee',
  description: 'Download URLs that were signed before stay valid until they expire.',
  params: schema.ShareId,
  answers: { 204: 'The share is deleted' },
  errors: ['SHARE_NOT_FOUND'],
  handle: (ctx, { params }) => revokeShare(ctx, params.id),
})

route(router, 'GET /v1/shares/{id}/url', 'getSharedUrl', {
  summary: 'Get a URL to download a shared file, as its grantee',
  description: 'The URL does not outlive the share.',
  params: schema.ShareId,
  answers: { 200: [DownloadUrl, 'The URL'] },
  errors: ['SHARE_NOT_FOUND', 'SHARE_ACCESS_DENIED', 'FILE_NOT_FOUND'],
  handle: (ctx, { params }) => sharedUrl(ctx, params.id),
})
