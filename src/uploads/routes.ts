import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import { fileRecord } from '../files/record.ts'
import { jsonBody } from '../http/body.ts'
import { type AppEnv, work } from '../http/context.ts'
import {
  bodyRefusals,
  json,
  jsonRequest,
  locationHeader,
  NoMembers,
  optionalJson,
  refusals,
} from '../http/describe.ts'
import { IdempotencyKey, retryKey } from '../http/idempotency.ts'
import { refuseInvalid } from '../http/validation.ts'
import { abortUpload } from './abort.ts'
import { completeUpload } from './complete.ts'
import { readUpload } from './read.ts'
import { uploadRecord } from './record.ts'
import * as schema from './schema.ts'
import { startUpload } from './start.ts'

/** How content comes in (specification §4.5 "Uploading content"; decisions, "Uploads"), mounted at /v1/uploads. */
export const uploads = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid })
const tags = ['Uploads']

const postUpload = createRoute({
  method: 'post',
  path: '/',
  operationId: 'startUpload',
  summary: 'Start an upload',
  description: 'Then send the content to `url` with `method` and exactly `headers`, and complete the upload.',
  tags,
  middleware: jsonBody,
  request: { headers: IdempotencyKey, body: jsonRequest(schema.CreateUpload) },
  responses: {
    201: {
      ...json(schema.Upload, 'The upload, with where and how to send the content'),
      headers: locationHeader,
    },
    ...bodyRefusals(
      'FILE_INVALID_NAME',
      'UPLOAD_TOO_LARGE',
      'FILE_PARENT_NOT_FOUND',
      'FILE_PARENT_NOT_FOLDER',
      'QUOTA_EXCEEDED',
      'LIMIT_REACHED',
      'IDEMPOTENCY_KEY_REUSED',
      'UPLOAD_NOT_FOUND',
      'UPLOAD_EXPIRED',
    ),
  },
})
uploads.openapi(postUpload, async (c) => {
  const input = c.req.valid('json')
  const scope = work(c)
  const started = await startUpload(scope, input, await retryKey(c, input))
  return c.json(await uploadRecord(scope, started), 201, { Location: `/v1/uploads/${started.upload.id}` })
})

const getUpload = createRoute({
  method: 'get',
  path: '/{id}',
  operationId: 'getUpload',
  summary: 'Get an upload; signs a new URL while it is open',
  tags,
  request: { params: schema.UploadId },
  responses: { 200: json(schema.Upload, 'The upload'), ...refusals('UPLOAD_NOT_FOUND', 'UPLOAD_EXPIRED') },
})
uploads.openapi(getUpload, async (c) => {
  const scope = work(c)
  return c.json(await uploadRecord(scope, await readUpload(scope, c.req.valid('param').id)), 200)
})

const completion = createRoute({
  method: 'post',
  path: '/{id}/complete',
  operationId: 'completeUpload',
  summary: 'Check what was sent, and make it the content of the file',
  description: 'Answers the same when it is called again.',
  tags,
  middleware: jsonBody,
  request: { params: schema.UploadId, body: optionalJson(NoMembers) },
  responses: {
    200: json(schema.CompletedUpload, 'The upload and the file, ready to be downloaded'),
    ...bodyRefusals('UPLOAD_NOT_FOUND', 'UPLOAD_EXPIRED', 'UPLOAD_INCOMPLETE', 'UPLOAD_MISMATCH'),
  },
})
uploads.openapi(completion, async (c) => {
  const scope = work(c)
  const completed = await completeUpload(scope, c.req.valid('param').id)
  return c.json({ upload: await uploadRecord(scope, completed), file: fileRecord(completed.file) }, 200)
})

const abortion = createRoute({
  method: 'delete',
  path: '/{id}',
  operationId: 'abortUpload',
  summary: 'Abort an upload, and remove its unfinished file',
  tags,
  request: { params: schema.UploadId },
  responses: { 204: { description: 'It is gone' }, ...refusals('UPLOAD_NOT_FOUND', 'UPLOAD_COMPLETED') },
})
uploads.openapi(abortion, async (c) => {
  await abortUpload(work(c), c.req.valid('param').id)
  return c.body(null, 204)
})
