import { requestContext } from '../../platform/http/request-context.ts'
import { created, Router, route, withETag } from '../../platform/http/route.ts'
import { createFolder } from './create.ts'
import { deleteFile } from './delete.ts'
import { editFile } from './edit.ts'
import { listFiles } from './list.ts'
import { downloadUrl, downloadUrls, readFile } from './read.ts'
import { changedRecord, fileRecord, listedRecord } from './row.ts'
import * as schema from './schema.ts'

/** Files and folders (docs/conformance.md#files). */
export const router = new Router('Files', requestContext)

route(router, 'GET /v1/files', 'listFiles', {
  summary: 'List the items in a folder',
  description:
    'Lists the caller’s root level, a folder of the caller’s, or a folder that is public or lies in a public folder.',
  query: schema.ListFiles,
  answers: { 200: [schema.FilePage, 'A page of items'] },
  errors: schema.parentErrors,
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listFiles(ctx, query)
    return { files: rows.map(listedRecord), next_cursor }
  },
})

route(router, 'POST /v1/files', 'createFolder', {
  summary: 'Create a folder',
  description:
    'The folder is created at the root level, or in a folder of the caller’s. Names in a folder need not differ.',
  body: schema.CreateFolder,
  idempotent: true,
  answers: { 201: [schema.ChangedFile, 'The new folder', 'Location'] },
  errors: ['FILE_INVALID_NAME', ...schema.parentErrors, 'FILE_NOT_FOUND', 'LIMIT_REACHED'],
  handle: async (ctx, { body, key }) => {
    const folder = await createFolder(ctx, body, key)
    return created(changedRecord(folder), `/v1/files/${folder.id}`)
  },
})

route(router, 'GET /v1/files/{id}', 'getFile', {
  summary: 'Get an item and the folders above it',
  description:
    'The item is the caller’s own, or is public or lies in a public folder. Users other than the owner see nothing above the topmost public item.',
  params: schema.FileId,
  answers: { 200: [schema.FileWithAncestors, 'The item', 'ETag'] },
  errors: ['FILE_NOT_FOUND'],
  handle: async (ctx, { params }) => {
    const { item, ancestors } = await readFile(ctx, params.id)
    const breadcrumb = ancestors.map(({ id, name, asset_type }) => ({ id, name, asset_type }))
    return withETag({ file: fileRecord(item), ancestors: breadcrumb }, item.revision)
  },
})

route(router, 'PATCH /v1/files/{id}', 'editFile', {
  summary: 'Rename or move an item, or change who may read it',
  description: 'Omitted members stay as they are.',
  params: schema.FileId,
  ifMatch: true,
  body: schema.EditFile,
  answers: { 200: [schema.ChangedFile, 'The changed item', 'ETag'] },
  errors: [
    'FILE_INVALID_NAME',
    'FILE_NOT_FOUND',
    ...schema.parentErrors,
    'FILE_CYCLIC_MOVE',
    'LIMIT_REACHED',
  ],
  handle: async (ctx, { params, body, expected }) => {
    const file = await editFile(ctx, params.id, body, expected)
    return withETag(changedRecord(file), file.revision)
  },
})

route(router, 'DELETE /v1/files/{id}', 'deleteFile', {
  summary: 'Put an item into the trash, with everything in it',
  description: 'The item can be restored for TRASH_RETENTION_DAYS.',
  params: schema.FileId,
  ifMatch: true,
  answers: { 204: 'The item is in the trash' },
  errors: ['FILE_NOT_FOUND'],
  handle: (ctx, { params, expected }) => deleteFile(ctx, params.id, expected),
})

route(router, 'GET /v1/files/{id}/url', 'getDownloadUrl', {
  summary: 'Get a URL to download the content of a file',
  description: 'Anyone who holds the URL can read the content, whole or in ranges, until `expires_at`.',
  params: schema.FileId,
  answers: { 200: [schema.DownloadUrl, 'The URL'] },
  errors: schema.urlErrors,
  handle: (ctx, { params }) => downloadUrl(ctx, params.id),
})

route(router, 'POST /v1/files/urls', 'getDownloadUrls', {
  summary: 'Get URLs to download the content of up to 100 files',
  description:
    'Each file has the answer of a request for its URL alone: the URL, or the code of the error. Nothing changes between the files of one database; those of several are not read at one moment.',
  onBehalf: 'reads',
  body: schema.GetDownloadUrls,
  answers: { 200: [schema.DownloadUrls, 'The URLs'] },
  handle: async (ctx, { body }) => ({ urls: await downloadUrls(ctx, body.ids) }),
})
