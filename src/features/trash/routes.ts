import { requestContext } from '../../platform/http/request-context.ts'
import { NoMembers, Router, route, withETag } from '../../platform/http/route.ts'
import { fileRecord, listedRecord } from '../files/row.ts'
import { FileId, FileRecord } from '../files/schema.ts'
import { emptyTrash } from './empty.ts'
import { listTrash } from './list.ts'
import { purgeFile } from './purge.ts'
import { restoreFile } from './restore.ts'
import * as schema from './schema.ts'

/** The trash (docs/conformance.md#trash). */
export const router = new Router('Trash', requestContext)

route(router, 'GET /v1/trash', 'listTrash', {
  summary: 'List deleted items',
  description: 'An item in a deleted folder is not listed by itself, but can be restored by its id.',
  query: schema.ListTrash,
  answers: { 200: [schema.TrashPage, 'A page of deleted items'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listTrash(ctx, query)
    return { files: rows.map(listedRecord), next_cursor }
  },
})

route(router, 'POST /v1/trash/{id}/restore', 'restoreFile', {
  summary: 'Restore an item, with everything that was deleted with it',
  description:
    'The item returns to its folder, or to the root level if the folder is gone, in the trash or too deep.',
  params: FileId,
  optionalBody: NoMembers,
  answers: { 200: [FileRecord, 'The restored item', 'ETag'] },
  errors: ['FILE_NOT_FOUND', 'FILE_NOT_TRASHED'],
  handle: async (ctx, { params }) => {
    const file = await restoreFile(ctx, params.id)
    return withETag(fileRecord(file), file.revision)
  },
})

route(router, 'DELETE /v1/trash/{id}', 'purgeFile', {
  summary: 'Delete an item of the trash permanently',
  description: 'Everything that was deleted with the item is deleted too.',
  params: FileId,
  answers: { 204: 'The item is deleted permanently' },
  errors: ['FILE_NOT_FOUND', 'FILE_NOT_TRASHED'],
  handle: (ctx, { params }) => purgeFile(ctx, params.id),
})

route(router, 'DELETE /v1/trash', 'emptyTrash', {
  summary: 'Empty the trash',
  description: 'Deletes all items of the trash permanently. Items that are deleted later stay.',
  answers: { 204: 'The items are deleted permanently' },
  handle: (ctx) => emptyTrash(ctx),
})
