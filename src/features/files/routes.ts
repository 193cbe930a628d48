import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import { entityTagHeaders, IfMatch } from '../../platform/http/if-match.ts'
import {
  createRouter,
  creationErrors,
  entityTagHeader,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  locationHeader,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { createFolder } from './create.ts'
import { deleteFile } from './delete.ts'
import { editFile } from './edit.ts'
import { listFiles } from './list.ts'
import { downloadUrl, downloadUrls, readFile } from './read.ts'
import { changedRecord, fileRecord, listedRecord } from './row.ts'
import * as schema from './schema.ts'

/** Files and folders (docs/conformance.md#41-files), mounted at /v1/files. */
export const files = createRouter()
const tags = ['Files']

const getFiles = createRoute({
  method: 'get',
  path: '/',
  operationId: 'listFiles',
  summary: 'List the items in a folder',
  description:
    'Lists the caller’s root level, a folder of the caller’s, or a folder that is public or lies in a public folder.',
  tags,
  request: { query: schema.ListFiles },
  responses: {
    200: json(schema.FilePage, 'A page of items'),
    ...errorResponses(...schema.parentErrors, 'INVALID_CURSOR'),
  },
})
files.openapi(getFiles, async (c) => {
  const { rows, next_cursor } = await listFiles(requestContext(c), c.req.valid('query'))
  return c.json({ files: rows.map(listedRecord), next_cursor }, 200)
})

const postFile = createRoute({
  method: 'post',
  path: '/',
  operationId: 'createFolder',
  summary: 'Create a folder',
  description: 'The folder is created at the root level, or in a folder of the caller’s.',
  tags,
  middleware: jsonBody,
  request: { headers: IdempotencyKeyHeader, body: jsonRequest(schema.CreateFolder) },
  responses: {
    201: { ...json(schema.ChangedFile, 'The new folder'), headers: locationHeader },
    ...errorResponsesWithBody(
      'FILE_INVALID_NAME',
      ...schema.parentErrors,
      'FILE_NOT_FOUND',
      ...creationErrors,
    ),
  },
})
files.openapi(postFile, async (c) => {
  const input = c.req.valid('json')
  const folder = await createFolder(requestContext(c), input, await idempotencyKey(c, input))
  return c.json(changedRecord(folder), 201, { Location: `/v1/files/${folder.id}` })
})

const getFile = createRoute({
  method: 'get',
  path: '/{id}',
  operationId: 'getFile',
  summary: 'Get an item and the folders above it',
  description:
    'The item is the caller’s own, or is public or lies in a public folder. Users other than the owner see nothing above the topmost public item.',
  tags,
  request: { params: schema.FileId },
  responses: {
    200: { ...json(schema.FileWithAncestors, 'The item'), headers: entityTagHeader },
    ...errorResponses('FILE_NOT_FOUND'),
  },
})
files.openapi(getFile, async (c) => {
  const { item, ancestors } = await readFile(requestContext(c), c.req.valid('param').id)
  const breadcrumb = ancestors.map(({ id, name, asset_type }) => ({ id, name, asset_type }))
  return c.json({ file: fileRecord(item), ancestors: breadcrumb }, 200, entityTagHeaders(item.revision))
})

const patchFile = createRoute({
  method: 'patch',
  path: '/{id}',
  operationId: 'editFile',
  summary: 'Rename or move an item, or change who may read it',
  description: 'Omitted members stay as they are.',
  tags,
  middleware: jsonBody,
  request: { params: schema.FileId, headers: IfMatch, body: jsonRequest(schema.EditFile) },
  responses: {
    200: { ...json(schema.ChangedFile, 'The changed item'), headers: entityTagHeader },
    ...errorResponsesWithBody(
      'FILE_INVALID_NAME',
      'FILE_NOT_FOUND',
      ...schema.parentErrors,
      'FILE_CYCLIC_MOVE',
      'LIMIT_REACHED',
      'PRECONDITION_FAILED',
    ),
  },
})
files.openapi(patchFile, async (c) => {
  const { 'if-match': expected } = c.req.valid('header')
  const file = await editFile(requestContext(c), c.req.valid('param').id, c.req.valid('json'), expected)
  return c.json(changedRecord(file), 200, entityTagHeaders(file.revision))
})

const deleteRoute = createRoute({
  method: 'delete',
  path: '/{id}',
  operationId: 'deleteFile',
  summary: 'Put an item into the trash, with everything in it',
  description: 'The item can be restored for TRASH_RETENTION_DAYS.',
  tags,
  request: { params: schema.FileId, headers: IfMatch },
  responses: {
    204: { description: 'The item is in the trash' },
    ...errorResponses('FILE_NOT_FOUND', 'PRECONDITION_FAILED'),
  },
})
files.openapi(deleteRoute, async (c) => {
  await deleteFile(requestContext(c), c.req.valid('param').id, c.req.valid('header')['if-match'])
  return c.body(null, 204)
})

const getUrl = createRoute({
  method: 'get',
  path: '/{id}/url',
  operationId: 'getDownloadUrl',
  summary: 'Get a URL to download the content of a file',
  description: 'Anyone who holds the URL can read the content, whole or in ranges, until `expires_at`.',
  tags,
  request: { params: schema.FileId },
  responses: {
    200: json(schema.DownloadUrl, 'The URL'),
    ...errorResponses(...schema.urlErrors),
  },
})
files.openapi(getUrl, async (c) => c.json(await downloadUrl(requestContext(c), c.req.valid('param').id), 200))

const postUrls = createRoute({
  method: 'post',
  path: '/urls',
  operationId: 'getDownloadUrls',
  summary: 'Get URLs to download the content of up to 100 files',
  description:
    'Each file has the answer of a request for its URL alone: the URL, or the code of the error. Nothing changes between the files of one database; those of several are not read at one moment.',
  tags,
  middleware: jsonBody,
  request: { body: jsonRequest(schema.GetDownloadUrls) },
  responses: { 200: json(schema.DownloadUrls, 'The URLs'), ...errorResponsesWithBody() },
})
files.openapi(postUrls, async (c) =>
  c.json({ urls: await downloadUrls(requestContext(c), c.req.valid('json').ids) }, 200),
)
