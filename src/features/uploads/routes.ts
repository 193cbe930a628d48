import { createRoute } from '@hono/zod-openapi'
import { jsonBody, longJsonBody } from '../../platform/http/body.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import { IfMatch } from '../../platform/http/if-match.ts'
import {
  createRouter,
  creationErrors,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  locationHeader,
  optionalJson,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { previewUrls } from '../assets/preview-url.ts'
import { nameErrors } from '../assets/schema.ts'
import { parentErrors } from '../files/schema.ts'
import { completeUpload } from './complete.ts'
import { presignParts } from './parts.ts'
import { completedRecord, processingRecord, startedRecord, uploadRecord } from './record.ts'
import { readUpload, waitsForVerdict } from './row.ts'
import * as schema from './schema.ts'
import { startUpload } from './start.ts'
import { abortUpload } from './transitions.ts'

/** Uploads (docs/conformance.md#uploads), mounted at /v1/uploads. */
export const uploads = createRouter()
uploads.openAPIRegistry.register('OpenUpload', schema.OpenUpload)
const tags = ['Uploads']

const postUpload = createRoute({
  method: 'post',
  path: '/',
  operationId: 'startUpload',
  summary: 'Start an upload',
  description:
    'Then send the content to `url` with `method` and exactly `headers`, or in parts if the upload has `multipart`, and complete the upload. `If-Match` is for new content of a file or an asset: PRECONDITION_FAILED if that has changed, now or at completion.',
  tags,
  middleware: jsonBody,
  request: { headers: IdempotencyKeyHeader.extend(IfMatch.shape), body: jsonRequest(schema.CreateUpload) },
  responses: {
    201: {
      ...json(schema.Upload, 'The upload, and how to send the content'),
      headers: locationHeader,
    },
    ...errorResponsesWithBody(
      'FILE_INVALID_NAME',
      ...nameErrors,
      'INVALID_ASSET_TYPE',
      'INVALID_VISIBILITY',
      'UPLOAD_TOO_LARGE',
      ...parentErrors,
      'FILE_NOT_FOUND',
      'FILE_IS_FOLDER',
      'FILE_NOT_READY',
      'PRECONDITION_FAILED',
      'ASSET_NOT_FOUND',
      'QUOTA_EXCEEDED',
      ...creationErrors,
      'UPLOAD_NOT_FOUND',
      'UPLOAD_EXPIRED',
    ),
  },
})
uploads.openapi(postUpload, async (c) => {
  const input = c.req.valid('json')
  const ctx = requestContext(c)
  const { 'if-match': expected } = c.req.valid('header')
  const started = await startUpload(ctx, input, await idempotencyKey(c, [input, expected]), expected)
  return c.json(await startedRecord(ctx, started), 201, { Location: `/v1/uploads/${started.upload.id}` })
})

const getUpload = createRoute({
  method: 'get',
  path: '/{id}',
  operationId: 'getUpload',
  summary: 'Get an upload, with a new URL while it is open',
  description: 'An upload can be continued from any device. An upload in parts lists the recorded parts.',
  tags,
  request: { params: schema.UploadId },
  responses: {
    200: json(schema.Upload, 'The upload'),
    ...errorResponses('UPLOAD_NOT_FOUND', 'UPLOAD_EXPIRED'),
  },
})
uploads.openapi(getUpload, async (c) => {
  const ctx = requestContext(c)
  return c.json(await uploadRecord(ctx, await readUpload(ctx, c.req.valid('param').id)), 200)
})

const postParts = createRoute({
  method: 'post',
  path: '/{id}/parts',
  operationId: 'presignParts',
  summary: 'Get URLs to send parts to, and record the parts that have arrived',
  description:
    'For an upload with `multipart`. Parts may be sent in any order, concurrently and repeatedly. Each URL takes exactly its part’s length.',
  tags,
  middleware: longJsonBody,
  request: { params: schema.UploadId, body: optionalJson(schema.PresignParts) },
  responses: {
    200: json(schema.PartUrls, 'A URL for each requested part'),
    ...errorResponsesWithBody(
      'UPLOAD_NOT_FOUND',
      'UPLOAD_EXPIRED',
      'UPLOAD_COMPLETED',
      'UPLOAD_MISMATCH',
      'UPLOAD_REJECTED',
      'ASSET_NOT_FOUND',
    ),
  },
})
uploads.openapi(postParts, async (c) =>
  c.json({ parts: await presignParts(requestContext(c), c.req.valid('param').id, c.req.valid('json')) }, 200),
)

const postCompletion = createRoute({
  method: 'post',
  path: '/{id}/complete',
  operationId: 'completeUpload',
  summary: 'Check the sent content, and make it the content of the file or the next version of the asset',
  description:
    'A repeated completion gets the same answer. `If-Match` is for new content of a file or an asset, and replaces the `If-Match` of the start.',
  tags,
  middleware: longJsonBody,
  request: { params: schema.UploadId, headers: IfMatch, body: optionalJson(schema.CompleteUpload) },
  responses: {
    200: json(schema.CompletedUpload, 'The upload, and the file or the asset with its new version'),
    202: json(schema.ProcessingUpload, 'The upload, whose content is checked first'),
    ...errorResponsesWithBody(
      ...nameErrors,
      'UPLOAD_NOT_FOUND',
      'UPLOAD_EXPIRED',
      'UPLOAD_INCOMPLETE',
      'UPLOAD_MISMATCH',
      'UPLOAD_REJECTED',
      'PRECONDITION_FAILED',
      'ASSET_NOT_FOUND',
      'VERSION_NOT_FOUND',
      'LIMIT_REACHED',
    ),
  },
})
uploads.openapi(postCompletion, async (c) => {
  const given = { ...c.req.valid('json'), expected: c.req.valid('header')['if-match'] }
  const ctx = requestContext(c)
  const found = await completeUpload(ctx, c.req.valid('param').id, given)
  if (waitsForVerdict(found.upload)) return c.json(processingRecord(found), 202)
  const previews = await previewUrls(ctx, found.asset ? [found.asset] : [])
  return c.json(completedRecord(found, previews), 200)
})

const deleteUpload = createRoute({
  method: 'delete',
  path: '/{id}',
  operationId: 'abortUpload',
  summary: 'Abort an upload, and remove its unfinished file',
  description: 'The content that was sent is deleted.',
  tags,
  request: { params: schema.UploadId },
  responses: {
    204: { description: 'The upload is deleted' },
    ...errorResponses('UPLOAD_NOT_FOUND', 'UPLOAD_COMPLETED'),
  },
})
uploads.openapi(deleteUpload, async (c) => {
  await abortUpload(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})
