import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { PageQuery } from '../../platform/http/fields.ts'
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
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { DownloadUrl } from '../files/schema.ts'
import { deleteVersion } from './delete-version.ts'
import { listVersions, readVersion, versionUrl } from './read.ts'
import { rollBack } from './rollback.ts'
import { versionRecord } from './row.ts'
import { AssetId } from './schema.ts'
import * as schema from './version-schema.ts'

/** The versions of game assets (docs/conformance.md#45-game-assets), mounted at /v1/game/assets. */
export const assetVersions = createRouter()
const tags = ['Game assets']

const getVersions = createRoute({
  method: 'get',
  path: '/{id}/versions',
  operationId: 'listVersions',
  summary: 'List the versions of an asset, newest first',
  description: 'The asset is the caller’s own, or public.',
  tags,
  request: { params: AssetId, query: PageQuery },
  responses: {
    200: json(schema.VersionPage, 'A page of versions'),
    ...errorResponses('ASSET_NOT_FOUND', 'INVALID_CURSOR'),
  },
})
assetVersions.openapi(getVersions, async (c) => {
  const { id } = c.req.valid('param')
  const { rows, next_cursor } = await listVersions(requestContext(c), id, c.req.valid('query'))
  return c.json({ versions: rows.map(versionRecord), next_cursor }, 200)
})

const postVersion = createRoute({
  method: 'post',
  path: '/{id}/versions',
  operationId: 'rollBackAsset',
  summary: 'Make an old version’s content the newest version',
  description: 'Rolls the asset back; all versions stay. New content comes in through `POST /v1/uploads`.',
  tags,
  middleware: jsonBody,
  request: { params: AssetId, headers: IdempotencyKeyHeader, body: jsonRequest(schema.RollBack) },
  responses: {
    201: { ...json(schema.Version, 'The new version'), headers: locationHeader },
    ...errorResponsesWithBody('ASSET_NOT_FOUND', 'VERSION_NOT_FOUND', ...creationErrors),
  },
})
assetVersions.openapi(postVersion, async (c) => {
  const input = c.req.valid('json')
  const { id } = c.req.valid('param')
  const version = await rollBack(requestContext(c), id, input, await idempotencyKey(c, input))
  const location = { Location: `/v1/game/assets/${id}/versions/${version.version}` }
  return c.json(versionRecord(version), 201, location)
})

const getVersion = createRoute({
  method: 'get',
  path: '/{id}/versions/{version}',
  operationId: 'getVersion',
  summary: 'Get a version of an asset',
  description: 'The asset is the caller’s own, or public.',
  tags,
  request: { params: schema.VersionOfAsset },
  responses: {
    200: json(schema.Version, 'The version'),
    ...errorResponses('ASSET_NOT_FOUND', 'VERSION_NOT_FOUND'),
  },
})
assetVersions.openapi(getVersion, async (c) => {
  const { id, version: number } = c.req.valid('param')
  const { version } = await readVersion(requestContext(c), id, number)
  return c.json(versionRecord(version), 200)
})

const deleteRoute = createRoute({
  method: 'delete',
  path: '/{id}/versions/{version}',
  operationId: 'deleteVersion',
  summary: 'Delete an old version of an asset',
  description:
    'Any version but the current one. Its number is not used again. Its content stays while a branch or another version has it.',
  tags,
  request: { params: schema.VersionOfAsset, headers: IfMatch },
  responses: {
    204: { description: 'The version is deleted' },
    ...errorResponses('ASSET_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_IS_CURRENT', 'PRECONDITION_FAILED'),
  },
})
assetVersions.openapi(deleteRoute, async (c) => {
  const { id, version } = c.req.valid('param')
  await deleteVersion(requestContext(c), id, version, c.req.valid('header')['if-match'])
  return c.body(null, 204)
})

const getVersionUrl = createRoute({
  method: 'get',
  path: '/{id}/versions/{version}/url',
  operationId: 'getVersionUrl',
  summary: 'Get a URL to download the content of a version',
  description: 'Anyone who holds the URL can read the content, whole or in ranges, until `expires_at`.',
  tags,
  request: { params: schema.VersionOfAsset },
  responses: { 200: json(DownloadUrl, 'The URL'), ...errorResponses(...schema.urlErrors) },
})
assetVersions.openapi(getVersionUrl, async (c) => {
  const { id, version } = c.req.valid('param')
  return c.json(await versionUrl(requestContext(c), id, version), 200)
})
