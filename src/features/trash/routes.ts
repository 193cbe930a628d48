import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { entityTagHeaders } from '../../platform/http/if-match.ts'
import {
  createRouter,
  entityTagHeader,
  errorResponses,
  errorResponsesWithBody,
  json,
  NoMembers,
  optionalJson,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { fileRecord, listedRecord } from '../files/row.ts'
import { FileId, FileRecord } from '../files/schema.ts'
import { emptyTrash } from './empty.ts'
import { listTrash } from './list.ts'
import { purgeFile } from './purge.ts'
import { restoreFile } from './restore.ts'
import * as schema from './schema.ts'

/** The trash (docs/conformance.md#42-trash), mounted at /v1/trash. */
export const trash = createRouter()
const tags = ['Trash']

const getTrash = createRoute({
  method: 'get',
  path: '/',
  operationId: 'listTrash',
  summary: 'List deleted items',
  description: 'An item in a deleted folder is not listed by itself, but can be restored by its id.',
  tags,
  request: { query: schema.ListTrash },
  responses: { 200: json(schema.TrashPage, 'A page of deleted items'), ...errorResponses('INVALID_CURSOR') },
})
trash.openapi(getTrash, async (c) => {
  const { rows, next_cursor } = await listTrash(requestContext(c), c.req.valid('query'))
  return c.json({ files: rows.map(listedRecord), next_cursor }, 200)
})

const postRestore = createRoute({
  method: 'post',
  path: '/{id}/restore',
  operationId: 'restoreFile',
  summary: 'Restore an item, with everything that was deleted with it',
  description:
    'The item returns to its folder, or to the root level if the folder is gone, in the trash or too deep.',
  tags,
  middleware: jsonBody,
  request: { params: FileId, body: optionalJson(NoMembers) },
  responses: {
    200: { ...json(FileRecord, 'The restored item'), headers: entityTagHeader },
    ...errorResponsesWithBody('FILE_NOT_FOUND', 'FILE_NOT_TRASHED'),
  },
})
trash.openapi(postRestore, async (c) => {
  const file = await restoreFile(requestContext(c), c.req.valid('param').id)
  return c.json(fileRecord(file), 200, entityTagHeaders(file.revision))
})

const deleteOne = createRoute({
  method: 'delete',
  path: '/{id}',
  operationId: 'purgeFile',
  summary: 'Delete an item of the trash permanently',
  description: 'Everything that was deleted with the item is deleted too.',
  tags,
  request: { params: FileId },
  responses: {
    204: { description: 'The item is deleted permanently' },
    ...errorResponses('FILE_NOT_FOUND', 'FILE_NOT_TRASHED'),
  },
})
trash.openapi(deleteOne, async (c) => {
  await purgeFile(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const deleteAll = createRoute({
  method: 'delete',
  path: '/',
  operationId: 'emptyTrash',
  summary: 'Empty the trash',
  description: 'Deletes all items of the trash permanently. Items that are deleted later stay.',
  tags,
  responses: { 204: { description: 'The items are deleted permanently' }, ...errorResponses() },
})
trash.openapi(deleteAll, async (c) => {
  await emptyTrash(requestContext(c))
  return c.body(null, 204)
})
