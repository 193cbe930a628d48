import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { created, Reply, Router, route } from '../../platform/http/route.ts'
import { previewUrls } from '../assets/preview-url.ts'
import { nameErrors } from '../assets/schema.ts'
import { parentErrors } from '../files/schema.ts'
import { completeUpload } from './complete.ts'
import { presignParts } from './parts.ts'
import {
  completedRecord,
  processingRecord,
  readUpload,
  startedRecord,
  uploadRecord,
  waitsForVerdict,
} from './row.ts'
import * as schema from './schema.ts'
import { startUpload } from './start.ts'
import { abortUpload } from './transitions.ts'

/** Uploads (docs/conformance.md#uploads). */
export const router = new Router('Uploads', requestContext)
router.openAPIRegistry.register('OpenUpload', schema.OpenUpload)

route(router, 'POST /v1/uploads', 'startUpload', {
  summary: 'Start an upload',
  description:
    'Then send the content to `url` with `method` and exactly `headers`, or in parts if the upload has `multipart`, and complete the upload. `If-Match` is for new content of a file or an asset: PRECONDITION_FAILED if that has changed, now or at completion.',
  headers: IdempotencyKeyHeader,
  ifMatch: true,
  body: schema.CreateUpload,
  answers: { 201: [schema.Upload, 'The upload, and how to send the content', 'Location'] },
  errors: [
    'FILE_INVALID_NAME',
    ...nameErrors,
    'INVALID_ASSET_TYPE',
    'INVALID_VISIBILITY',
    'UPLOAD_TOO_LARGE',
    ...parentErrors,
    'FILE_NOT_FOUND',
    'FILE_IS_FOLDER',
    'FILE_NOT_READY',
    'ASSET_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'DUPLICATE_PLATFORM',
    'QUOTA_EXCEEDED',
    'LIMIT_REACHED',
    'IDEMPOTENCY_KEY_REUSED',
    'UPLOAD_NOT_FOUND',
    'UPLOAD_EXPIRED',
  ],
  handle: async (ctx, { body, expected }, c) => {
    const started = await startUpload(ctx, body, await idempotencyKey(c, [body, expected]), expected)
    return created(await startedRecord(ctx, started), `/v1/uploads/${started.upload.id}`)
  },
})

route(router, 'GET /v1/uploads/{id}', 'getUpload', {
  summary: 'Get an upload, with a new URL while it is open',
  description: 'An upload can be continued from any device. An upload in parts lists the recorded parts.',
  params: schema.UploadId,
  answers: { 200: [schema.Upload, 'The upload'] },
  errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_EXPIRED'],
  handle: async (ctx, { params }) => uploadRecord(ctx, await readUpload(ctx, params.id)),
})

route(router, 'POST /v1/uploads/{id}/parts', 'presignParts', {
  summary: 'Get URLs to send parts to, and record the parts that have arrived',
  description:
    'For an upload with `multipart`. Parts may be sent in any order, concurrently and repeatedly. Each URL takes exactly its part’s length.',
  params: schema.UploadId,
  optionalBody: schema.PresignParts,
  max_body_kib: 1_024,
  answers: { 200: [schema.PartUrls, 'A URL for each requested part'] },
  errors: [
    'UPLOAD_NOT_FOUND',
    'UPLOAD_EXPIRED',
    'UPLOAD_COMPLETED',
    'UPLOAD_MISMATCH',
    'UPLOAD_REJECTED',
    'ASSET_NOT_FOUND',
    'VERSION_NOT_FOUND',
  ],
  handle: async (ctx, { params, body }) => ({ parts: await presignParts(ctx, params.id, body) }),
})

route(router, 'POST /v1/uploads/{id}/complete', 'completeUpload', {
  summary:
    'Check the sent content, and make it the content of the file, the next version of the asset or a variant of a version',
  description:
    'A repeated completion gets the same answer. `If-Match` is for new content of a file or an asset, and replaces the `If-Match` of the start.',
  params: schema.UploadId,
  ifMatch: true,
  optionalBody: schema.CompleteUpload,
  max_body_kib: 1_024,
  answers: {
    200: [
      schema.CompletedUpload,
      'The upload, and the file, or the asset with the new version or the one that has the new variant',
    ],
    202: [schema.ProcessingUpload, 'The upload, whose content is checked first'],
  },
  errors: [
    ...nameErrors,
    'UPLOAD_NOT_FOUND',
    'UPLOAD_EXPIRED',
    'UPLOAD_INCOMPLETE',
    'UPLOAD_MISMATCH',
    'UPLOAD_REJECTED',
    'ASSET_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'VARIANT_NOT_FOUND',
    'DUPLICATE_PLATFORM',
    'LIMIT_REACHED',
  ],
  handle: async (ctx, { params, body, expected }) => {
    const found = await completeUpload(ctx, params.id, { ...body, expected })
    if (waitsForVerdict(found.upload)) return new Reply(202, processingRecord(found), {})
    const previews = await previewUrls(ctx, found.asset ? [found.asset] : [])
    return completedRecord(found, previews)
  },
})

route(router, 'DELETE /v1/uploads/{id}', 'abortUpload', {
  summary: 'Abort an upload, and remove its unfinished file',
  description: 'The content that was sent is deleted.',
  params: schema.UploadId,
  answers: { 204: 'The upload is deleted' },
  errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_COMPLETED'],
  handle: (ctx, { params }) => abortUpload(ctx, params.id),
})
