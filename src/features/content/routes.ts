import { BytesBody } from '../../platform/http/body.ts'
import { entityTagHeaders } from '../../platform/http/entity-tags.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { references } from '../../platform/http/response-headers.ts'
import { bytes, created, Router, route, withETag } from '../../platform/http/route.ts'
import { fileRecord } from '../files/row.ts'
import { FileId, FileRecord, parentErrors } from '../files/schema.ts'
import { contentHeaders, readContent } from './read.ts'
import * as schema from './schema.ts'
import { createContent, replaceContent } from './write.ts'

/** Small content in one request (docs/conformance.md#small-content-in-one-request). */
export const router = new Router('Files', requestContext)
const small = new BytesBody((config) => config.MAX_INLINE_BYTES, schema.mimeTypeOf)

route(router, 'POST /v1/files/content', 'createContent', {
  summary: 'Create a file with its content',
  description:
    'The body is the content, of at most MAX_INLINE_BYTES, and `Content-Type` its type. For more content, and for content that is checked first, start an upload.',
  query: schema.CreateContent,
  headers: IdempotencyKeyHeader,
  body: small,
  answers: { 201: [FileRecord, 'The new file', 'Location'] },
  errors: [
    'FILE_INVALID_NAME',
    'UPLOAD_TOO_LARGE',
    'UPLOAD_REQUIRED',
    ...parentErrors,
    'FILE_NOT_FOUND',
    'QUOTA_EXCEEDED',
    'LIMIT_REACHED',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  handle: async (ctx, { query, body }, c) => {
    const key = await idempotencyKey(c, [query, body.mime_type, body.checksum_sha256])
    const file = await createContent(ctx, query, body, key)
    return created(fileRecord(file), `/v1/files/${file.id}`)
  },
})

route(router, 'PUT /v1/files/{id}/content', 'replaceContent', {
  summary: 'Replace the content of a file',
  description:
    'The body is the content, of at most MAX_INLINE_BYTES, and `Content-Type` its type. Only the new size counts in the quota. For more content, and for content that is checked first, start an upload with the `file_id`.',
  params: FileId,
  ifMatch: true,
  body: small,
  answers: { 200: [FileRecord, 'The file', 'ETag'] },
  errors: [
    'UPLOAD_TOO_LARGE',
    'UPLOAD_REQUIRED',
    'FILE_NOT_FOUND',
    'FILE_IS_FOLDER',
    'FILE_NOT_READY',
    'QUOTA_EXCEEDED',
  ],
  handle: async (ctx, { params, body, expected }) => {
    const file = await replaceContent(ctx, params.id, body, expected)
    return withETag(fileRecord(file), file.revision)
  },
})

route(router, 'GET /v1/files/{id}/content', 'getContent', {
  summary: 'Get the content of a small file',
  description:
    'For the owner, and for everyone if the file is public or lies in a public folder. Larger content than MAX_INLINE_BYTES is CONTENT_TOO_LARGE: get its URL. The answer has the type of the content.',
  params: FileId,
  headers: schema.ReadHeaders,
  answers: {
    200: bytes('The content', 'ETag', 'Content-Disposition'),
    304: { description: 'The client has the content', headers: references('ETag', 'Content-Disposition') },
  },
  errors: ['FILE_NOT_FOUND', 'FILE_IS_FOLDER', 'FILE_NOT_READY', 'CONTENT_TOO_LARGE'],
  handle: async (ctx, { params, headers }, c) => {
    const wanted = { method: c.req.method, known: headers['if-none-match'] }
    const content = await readContent(ctx, params.id, wanted)
    const { body, status, file } = content
    return c.newResponse(body, status, { ...contentHeaders(content), ...entityTagHeaders(file.revision) })
  },
})
