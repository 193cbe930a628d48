import { requestContext } from '../../platform/http/request-context.ts'
import { created, Router, route } from '../../platform/http/route.ts'
import { deleteVariant } from './delete-variant.ts'
import { deleteVersion } from './delete-version.ts'
import { editVersion } from './edit-version.ts'
import { listVersions, readVersion, versionUrl } from './read.ts'
import { rollBack } from './rollback.ts'
import { versionRecord } from './row.ts'
import { AssetId } from './schema.ts'
import * as schema from './version-schema.ts'

/** The versions of game assets (docs/conformance.md#game-assets). */
export const router = new Router('Game assets', requestContext)

route(router, 'GET /v1/game/assets/{id}/versions', 'listVersions', {
  summary: 'List the versions of an asset, newest first',
  description:
    'The asset is the caller’s own, or public. Others than the owner get none above that of the channel `live`.',
  params: AssetId,
  query: schema.ListVersions,
  answers: { 200: [schema.VersionPage, 'A page of versions'] },
  errors: ['ASSET_NOT_FOUND', 'CHANNEL_NOT_FOUND'],
  handle: async (ctx, { params, query }) => {
    const { rows, next_cursor } = await listVersions(ctx, params.id, query)
    return { versions: rows.map(versionRecord), next_cursor }
  },
})

route(router, 'POST /v1/game/assets/{id}/versions', 'rollBackAsset', {
  summary: 'Make an old version’s content the newest version',
  description: 'Rolls the asset back; all versions stay. New content comes in through `POST /v1/uploads`.',
  params: AssetId,
  idempotent: true,
  body: schema.RollBack,
  answers: { 201: [schema.Version, 'The new version', 'Location'] },
  errors: ['ASSET_NOT_FOUND', 'VERSION_NOT_FOUND', 'LIMIT_REACHED'],
  handle: async (ctx, { params: { id }, body, key }) => {
    const version = await rollBack(ctx, id, body, key)
    return created(versionRecord(version), `/v1/game/assets/${id}/versions/${version.version}`)
  },
})

route(router, 'GET /v1/game/assets/{id}/versions/{version}', 'getVersion', {
  summary: 'Get a version of an asset',
  description: 'The asset is the caller’s own, or public.',
  params: schema.VersionOfAsset,
  query: schema.ChannelQuery,
  answers: { 200: [schema.Version, 'The version'] },
  errors: schema.urlErrors,
  handle: async (ctx, { params, query }) => {
    const { version } = await readVersion(ctx, params.id, params.version, query.channel_key)
    return versionRecord(version)
  },
})

route(router, 'PATCH /v1/game/assets/{id}/versions/{version}', 'editVersion', {
  summary: 'Change the notes of a version, or which builds can read it',
  description:
    'Send at least one member. An omitted member stays as it is. The asset is the caller’s own, and its ETag changes.',
  params: schema.VersionOfAsset,
  ifMatch: true,
  body: schema.EditVersion,
  answers: { 200: [schema.Version, 'The changed version'] },
  errors: ['ASSET_NOT_FOUND', 'VERSION_NOT_FOUND'],
  handle: async (ctx, { params, body, expected }) =>
    versionRecord(await editVersion(ctx, params.id, params.version, body, expected)),
})

route(router, 'DELETE /v1/game/assets/{id}/versions/{version}', 'deleteVersion', {
  summary: 'Delete an old version of an asset',
  description:
    'Any version but the current one, and those that channels serve. Its number is not used again. Its content stays while a branch or another version has it.',
  params: schema.VersionOfAsset,
  ifMatch: true,
  answers: { 204: 'The version is deleted' },
  errors: ['ASSET_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_IS_CURRENT'],
  handle: (ctx, { params, expected }) => deleteVersion(ctx, params.id, params.version, expected),
})

route(router, 'GET /v1/game/assets/{id}/versions/{version}/url', 'getVersionUrl', {
  summary: 'Get a URL to download the content of a version',
  description: 'Anyone who holds the URL can read the content, whole or in ranges, until `expires_at`.',
  params: schema.VersionOfAsset,
  query: schema.UrlQuery,
  answers: { 200: [schema.VersionUrl, 'The URL'] },
  errors: schema.urlErrors,
  handle: (ctx, { params, query }) => versionUrl(ctx, params.id, params.version, query),
})

route(router, 'DELETE /v1/game/assets/{id}/versions/{version}/variants/{platform}', 'deleteVariant', {
  summary: 'Delete the content of a version for a platform',
  description:
    'A variant that was added to the version. Its platform is not free again in this version. Its content stays while a branch or another version has it.',
  params: schema.VariantOfVersion,
  ifMatch: true,
  answers: { 204: 'The variant is deleted' },
  errors: ['ASSET_NOT_FOUND', 'VERSION_NOT_FOUND', 'VARIANT_NOT_FOUND'],
  handle: (ctx, { params: { id, ...variant }, expected }) => deleteVariant(ctx, id, variant, expected),
})
