import { createRoute } from '@hono/zod-openapi'
import { bytesBody, receivedBytes } from '../../platform/http/body.ts'
import { ContentDigest } from '../../platform/http/content-digest.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import { entityTagHeaders, IfMatch } from '../../platform/http/if-match.ts'
import {
  bytes,
  bytesRequest,
  createRouter,
  creationErrors,
  entityTagHeader,
  errorResponses,
  errorResponsesWithBytes,
  json,
  locationHeader,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { references } from '../../platform/http/response-headers.ts'
import { fileRecord } from '../files/row.ts'
import { FileId, FileRecord, parentErrors } from '../files/schema.ts'
import { contentHeaders, readContent } from './read.ts'
import * as schema from './schema.ts'
import { createContent, replaceContent } from './write.ts'

/** Small content in one request (docs/conformance.md#small-content-in-one-request), mounted at /v1/files. */
export const content = createRouter()
const tags = ['Files']
const smallBody = bytesBody((config) => config.MAX_INLINE_BYTES)

const postContent = createRoute({
  method: 'post',
  path: '/content',
  operationId: 'createContent',
  summary: 'Create a file with its content',
  description:
    'The body is the content, of at most MAX_INLINE_BYTES, and `Content-Type` its type. For more content, and for content that is checked first, start an upload.',
  tags,
  middleware: smallBody,
  request: {
    query: schema.CreateContent,
    headers: IdempotencyKeyHeader.extend(ContentDigest.shape),
    body: bytesRequest,
  },
  responses: {
    201: { ...json(FileRecord, 'The new file'), headers: locationHeader },
    ...errorResponsesWithBytes(
      'FILE_INVALID_NAME',
      'UPLOAD_TOO_LARGE',
      'UPLOAD_REQUIRED',
      'UPLOAD_MISMATCH',
      ...parentErrors,
      'FILE_NOT_FOUND',
      'QUOTA_EXCEEDED',
      ...creationErrors,
    ),
  },
})
content.openapi(postContent, async (c) => {
  const input = c.req.valid('query')
  const sent = { ...receivedBytes(c), mime_type: schema.mimeTypeOf(c.req.header('Content-Type')) }
  const key = await idempotencyKey(c, [input, sent.mime_type, sent.checksum_sha256])
  const file = await createContent(requestContext(c), input, sent, key)
  return c.json(fileRecord(file), 201, { Location: `/v1/files/${file.id}` })
})

const putContent = createRoute({
  method: 'put',
  path: '/{id}/content',
  operationId: 'replaceContent',
  summary: 'Replace the content of a file',
  description:
    'The body is the content, of at most MAX_INLINE_BYTES, and `Content-Type` its type. Only the new size counts in the quota. For more content, and for content that is checked first, start an upload with the `file_id`.',
  tags,
  middleware: smallBody,
  request: { params: FileId, headers: IfMatch.extend(ContentDigest.shape), body: bytesRequest },
  responses: {
    200: { ...json(FileRecord, 'The file'), headers: entityTagHeader },
    ...errorResponsesWithBytes(
      'UPLOAD_TOO_LARGE',
      'UPLOAD_REQUIRED',
      'UPLOAD_MISMATCH',
      'FILE_NOT_FOUND',
      'FILE_IS_FOLDER',
      'FILE_NOT_READY',
      'PRECONDITION_FAILED',
      'QUOTA_EXCEEDED',
    ),
  },
})
content.openapi(putContent, async (c) => {
  const sent = { ...receivedBytes(c), mime_type: schema.mimeTypeOf(c.req.header('Content-Type')) }
  const expected = c.req.valid('header')['if-match']
  const file = await replaceContent(requestContext(c), c.req.valid('param').id, sent, expected)
  return c.json(fileRecord(file), 200, entityTagHeaders(file.revision))
})

const contentHeader = references('ETag', 'Content-Disposition')

const getContent = createRoute({
  method: 'get',
  path: '/{id}/content',
  operationId: 'getContent',
  summary: 'Get the content of a small file',
  description:
    'For the owner, and for everyone if the file is public or lies in a public folder. Larger content than MAX_INLINE_BYTES is CONTENT_TOO_LARGE: get its URL. The answer has the type of the content.',
  tags,
  request: { params: FileId, headers: schema.ReadHeaders },
  responses: {
    200: { ...bytes('The content'), headers: contentHeader },
    304: { description: 'The client has the content', headers: contentHeader },
    ...errorResponses('FILE_NOT_FOUND', 'FILE_IS_FOLDER', 'FILE_NOT_READY', 'CONTENT_TOO_LARGE'),
  },
})
content.openapi(getContent, async (c) => {
  const wanted = { method: c.req.method, known: c.req.valid('header')['if-none-match'] }
  const content = await readContent(requestContext(c), c.req.valid('param').id, wanted)
  const { body, status, file } = content
  return c.newResponse(body, status, { ...contentHeaders(content), ...entityTagHeaders(file.revision) })
})
