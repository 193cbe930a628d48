import { createRoute } from '@hono/zod-openapi'
import { bytesBody, jsonBody, receivedBytes } from '../../platform/http/body.ts'
import { ContentDigest } from '../../platform/http/content-digest.ts'
import { entityTagHeaders, IfMatch } from '../../platform/http/if-match.ts'
import {
  bytes,
  bytesRequest,
  createRouter,
  entityTagHeader,
  errorResponses,
  errorResponsesWithBody,
  errorResponsesWithBytes,
  json,
  optionalJson,
} from '../../platform/http/openapi.ts'
import { savesContext } from '../../platform/http/request-context.ts'
import { references } from '../../platform/http/response-headers.ts'
import { deleteSave, listRevisions, listSaves, readSave, restoreSave, writeSave } from './call-saves.ts'
import { contentHeaders } from './row.ts'
import * as schema from './schema.ts'

/** Saves (docs/conformance.md#saves), mounted at /v1/saves. */
export const saves = createRouter()
const tags = ['Saves']

const getSaves = createRoute({
  method: 'get',
  path: '/',
  operationId: 'listSaves',
  summary: 'List the caller’s saves, the latest first',
  description: 'The list is whole: there are at most MAX_SAVE_SLOTS.',
  tags,
  request: { query: schema.ListSaves },
  responses: { 200: json(schema.SaveList, 'The saves'), ...errorResponses() },
})
saves.openapi(getSaves, async (c) =>
  c.json(await listSaves(savesContext(c), c.req.valid('query').deleted), 200),
)

const putSave = createRoute({
  method: 'put',
  path: '/{slot}',
  operationId: 'writeSave',
  summary: 'Write a save',
  description:
    'The body is the bytes, at most MAX_SAVE_BYTES. With `If-Match` they replace only the revision that it names, with `If-None-Match: *` they only make a new slot; without either they replace what is there. A refused write gets the save that is there as `current`. A repetition with the same `Idempotency-Key` gets the answer of the first. Without a key, equal bytes under the same condition count as a repetition.',
  tags,
  middleware: bytesBody((config) => config.MAX_SAVE_BYTES),
  request: {
    params: schema.NewSlot,
    query: schema.WriteSave,
    headers: schema.WriteHeaders.extend(ContentDigest.shape),
    body: bytesRequest,
  },
  responses: {
    200: { ...json(schema.Save, 'The save'), headers: entityTagHeader },
    201: { ...json(schema.Save, 'The save, in a new slot'), headers: entityTagHeader },
    ...errorResponsesWithBytes(
      'IDEMPOTENCY_KEY_REUSED',
      'LIMIT_REACHED',
      'QUOTA_EXCEEDED',
      'UPLOAD_MISMATCH',
    ),
    412: schema.conflict,
  },
})
saves.openapi(putSave, async (c) => {
  const headers = c.req.valid('header')
  const received = receivedBytes(c)
  const request = {
    slot: c.req.valid('param').slot,
    bytes: received.bytes,
    keep: c.req.valid('query').keep,
    if_match: headers['if-match'],
    if_none_match: headers['if-none-match'],
    idempotency_key: headers['idempotency-key'] ?? null,
  }
  const { save, is_new } = await writeSave(savesContext(c), request, {
    ...schema.metadataOf(headers, c.req.header('Content-Type')),
    checksum_sha256: received.checksum_sha256,
  })
  return c.json(save, is_new ? 201 : 200, entityTagHeaders(save.revision))
})

const savedHeaders = references(
  'ETag',
  'Content-Disposition',
  'Save-Device',
  'Save-Label',
  'Save-Played-Seconds',
)

const getSave = createRoute({
  method: 'get',
  path: '/{slot}',
  operationId: 'readSave',
  summary: 'Read a save, or an older revision of it',
  description:
    'The answer is the bytes. `Save-Device`, `Save-Label` and `Save-Played-Seconds` come as they were written, when they were.',
  tags,
  request: { params: schema.KnownSlot, query: schema.ReadSave, headers: schema.ReadHeaders },
  responses: {
    200: { ...bytes('The bytes'), headers: savedHeaders },
    304: { description: 'The caller has this revision', headers: entityTagHeader },
    ...errorResponses('SAVE_NOT_FOUND', 'SAVE_REVISION_NOT_FOUND'),
  },
})
saves.openapi(getSave, async (c) => {
  const { slot } = c.req.valid('param')
  const condition = { if_none_match: c.req.valid('header')['if-none-match'] }
  const { revision } = c.req.valid('query')
  const read = await readSave(savesContext(c), slot, revision, condition)
  const headers = entityTagHeaders(read.save.revision)
  if (read.bytes === undefined) return c.body(null, 304, headers)
  return c.body(read.bytes, 200, { ...headers, ...contentHeaders(read.save) })
})

const getRevisions = createRoute({
  method: 'get',
  path: '/{slot}/revisions',
  operationId: 'listSaveRevisions',
  summary: 'List the revisions of a save, newest first',
  description: 'The list is whole: a slot keeps at most SAVE_REVISIONS.',
  tags,
  request: { params: schema.KnownSlot },
  responses: {
    200: json(schema.RevisionList, 'The revisions'),
    ...errorResponses('SAVE_NOT_FOUND'),
  },
})
saves.openapi(getRevisions, async (c) =>
  c.json(await listRevisions(savesContext(c), c.req.valid('param').slot), 200),
)

const postRestore = createRoute({
  method: 'post',
  path: '/{slot}/restore',
  operationId: 'restoreSave',
  summary: 'Bring back an older revision, or a deleted save',
  description:
    'Makes a new revision with the content of the other, which stays. Without `revision`, a save that is not deleted is unchanged.',
  tags,
  middleware: jsonBody,
  request: { params: schema.KnownSlot, headers: IfMatch, body: optionalJson(schema.RestoreSave) },
  responses: {
    200: { ...json(schema.Save, 'The save'), headers: entityTagHeader },
    ...errorResponsesWithBody('SAVE_NOT_FOUND', 'SAVE_REVISION_NOT_FOUND', 'LIMIT_REACHED', 'QUOTA_EXCEEDED'),
    412: schema.conflict,
  },
})
saves.openapi(postRestore, async (c) => {
  const condition = { if_match: c.req.valid('header')['if-match'] }
  const { slot } = c.req.valid('param')
  const save = await restoreSave(savesContext(c), slot, c.req.valid('json').revision, condition)
  return c.json(save, 200, entityTagHeaders(save.revision))
})

const deleteRoute = createRoute({
  method: 'delete',
  path: '/{slot}',
  operationId: 'deleteSave',
  summary: 'Delete a save',
  description: 'The save can be restored for TRASH_RETENTION_DAYS, unless its room is needed before.',
  tags,
  request: { params: schema.KnownSlot, headers: IfMatch },
  responses: {
    204: { description: 'The save is deleted' },
    ...errorResponses('SAVE_NOT_FOUND'),
    412: schema.conflict,
  },
})
saves.openapi(deleteRoute, async (c) => {
  await deleteSave(savesContext(c), c.req.valid('param').slot, {
    if_match: c.req.valid('header')['if-match'],
  })
  return c.body(null, 204)
})
