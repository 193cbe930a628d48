import { BytesBody } from '../../platform/http/body.ts'
import { entityTagHeaders } from '../../platform/http/entity-tags.ts'
import { sentKey } from '../../platform/http/idempotency-key.ts'
import { databasesIn, savesContext } from '../../platform/http/request-context.ts'
import { references } from '../../platform/http/response-headers.ts'
import { bytes, Reply, Router, route, withETag } from '../../platform/http/route.ts'
import {
  deleteSave,
  listRevisions,
  listSaves,
  listSavesBeforeRecall,
  readSave,
  restoreSave,
  writeSave,
} from './call-saves.ts'
import { contentHeaders } from './row.ts'
import * as schema from './schema.ts'

/** Saves (docs/conformance.md#saves). */
export const router = new Router('Saves', savesContext, { isOfSaves: true })

route(router, 'GET /v1/saves', 'listSaves', {
  summary: 'List the caller’s saves, the latest first',
  description:
    'The list is whole: there are at most MAX_SAVE_SLOTS, and MAX_SERVER_SLOTS of the studio’s servers.',
  query: schema.ListSaves,
  answers: { 200: [schema.SaveList, 'The saves'] },
  errors: ['FORBIDDEN', 'RECALL_NOT_FOUND'],
  handle: (ctx, { query: { deleted, recall } }, c) =>
    recall === undefined
      ? listSaves(ctx, deleted)
      : listSavesBeforeRecall({ ...ctx, databases: databasesIn(c) }, deleted, recall),
})

route(router, 'PUT /v1/saves/{slot}', 'writeSave', {
  summary: 'Write a save',
  description:
    'The body is the bytes, at most MAX_SAVE_BYTES. With `If-Match` they replace only the revision that it names, with `If-None-Match: *` they only make a new slot; without either they replace what is there. A refused write gets the save that is there as `current`. A repetition with the same `Idempotency-Key` gets the answer of the first. Without a key, equal bytes under the same condition count as a repetition.',
  params: schema.NewSlot,
  query: schema.WriteSave,
  headers: schema.WriteHeaders,
  body: new BytesBody((config) => config.MAX_SAVE_BYTES),
  answers: { 200: [schema.Save, 'The save', 'ETag'], 201: [schema.Save, 'The save, in a new slot', 'ETag'] },
  errors: ['SAVE_READ_ONLY', 'IDEMPOTENCY_KEY_REUSED', 'LIMIT_REACHED', 'QUOTA_EXCEEDED', schema.conflict],
  handle: async (ctx, { params, query, headers, body }, c) => {
    const request = {
      slot: params.slot,
      bytes: body.bytes,
      keep: query.keep,
      if_match: headers['if-match'],
      if_none_match: headers['if-none-match'],
      idempotency_key: (await sentKey(c)) ?? null,
    }
    const { save, is_new } = await writeSave(ctx, request, {
      ...schema.metadataOf(headers, c.req.header('Content-Type')),
      checksum_sha256: body.checksum_sha256,
    })
    return new Reply(is_new ? 201 : 200, save, entityTagHeaders(save.revision))
  },
})

route(router, 'GET /v1/saves/{slot}', 'readSave', {
  summary: 'Read a save, or an older revision of it',
  description:
    'The answer is the bytes. `Save-Device`, `Save-Label` and `Save-Played-Seconds` come as they were written, when they were.',
  params: schema.KnownSlot,
  query: schema.ReadSave,
  headers: schema.ReadHeaders,
  answers: {
    200: bytes(
      'The bytes',
      'ETag',
      'Content-Disposition',
      'Save-Device',
      'Save-Label',
      'Save-Played-Seconds',
    ),
    304: { description: 'The caller has this revision', headers: references('ETag') },
  },
  errors: ['SAVE_NOT_FOUND', 'SAVE_REVISION_NOT_FOUND'],
  handle: async (ctx, { params, query, headers }, c) => {
    const condition = { if_none_match: headers['if-none-match'] }
    const { save, bytes } = await readSave(ctx, params.slot, query.revision, condition)
    const tag = entityTagHeaders(save.revision)
    if (bytes === undefined) return c.body(null, 304, tag)
    return c.body(bytes, 200, { ...tag, ...contentHeaders(save) })
  },
})

route(router, 'GET /v1/saves/{slot}/revisions', 'listSaveRevisions', {
  summary: 'List the revisions of a save, newest first',
  description:
    'The list is whole: a slot keeps at most SAVE_REVISIONS, and one of each of the SAVE_DAYS before its last write.',
  params: schema.KnownSlot,
  answers: { 200: [schema.RevisionList, 'The revisions'] },
  errors: ['SAVE_NOT_FOUND'],
  handle: (ctx, { params }) => listRevisions(ctx, params.slot),
})

route(router, 'POST /v1/saves/{slot}/restore', 'restoreSave', {
  summary: 'Bring back an older revision, or a deleted save',
  description:
    'Makes a new revision with the content of the other, which stays. Without `revision`, a save that is not deleted is unchanged.',
  params: schema.KnownSlot,
  ifMatch: true,
  optionalBody: schema.RestoreSave,
  answers: { 200: [schema.Save, 'The save', 'ETag'] },
  errors: [
    'SAVE_READ_ONLY',
    'SAVE_NOT_FOUND',
    'SAVE_REVISION_NOT_FOUND',
    'LIMIT_REACHED',
    'QUOTA_EXCEEDED',
    schema.conflict,
  ],
  handle: async (ctx, { params, body, expected }) => {
    const save = await restoreSave(ctx, params.slot, body.revision, { if_match: expected })
    return withETag(save, save.revision)
  },
})

route(router, 'DELETE /v1/saves/{slot}', 'deleteSave', {
  summary: 'Delete a save',
  description: 'The save can be restored for TRASH_RETENTION_DAYS, unless its room is needed before.',
  params: schema.KnownSlot,
  ifMatch: true,
  answers: { 204: 'The save is deleted' },
  errors: ['SAVE_READ_ONLY', 'SAVE_NOT_FOUND', schema.conflict],
  handle: (ctx, { params, expected }) => deleteSave(ctx, params.slot, { if_match: expected }),
})
