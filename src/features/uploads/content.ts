import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createdAt, updatedAt } from '../../platform/db/marks.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { assetVersions, files, gameAssets } from '../../platform/db/schema.ts'
import { assignments, insert } from '../../platform/db/sql.ts'
import { searchName } from '../../platform/lib/search-name.ts'
import { assetCreated, newAssetPublished, versionAdded } from '../assets/events.ts'
import { newPage, pageColumns, versionCount } from '../assets/row.ts'
import type { AssetPage } from '../assets/schema.ts'
import { enqueueContentDeletion } from '../files/delete.ts'
import { exists } from '../files/tree/lifecycle.ts'
import type { UploadRow } from './row.ts'
import type { NewContent } from './transitions.ts'

/**
 * What a completion makes of an upload's object: the content of a file, or the next version of an asset.
 */
export function contentOf(
  ctx: RequestContext,
  upload: UploadRow,
  expected: ExpectedRevisions,
  given_name?: string,
): NewContent {
  return upload.upload_type === 'file'
    ? fileContent(ctx, upload, expected)
    : assetVersion(ctx, upload, expected, given_name)
}

/** Makes the object the content of the upload's file. The previous content is deleted once its download URLs have expired. */
function fileContent(ctx: RequestContext, { id }: UploadRow, expected: ExpectedRevisions): NewContent {
  const now = seconds(ctx)
  const isTarget = (completion_id: string) =>
    sql`id = (SELECT file_id FROM uploads WHERE id = ${id} AND completion_id = ${completion_id})`
  const changes = {
    processing_state: 'ready',
    revision: sql`revision + 1`,
    updated_at: updatedAt(now),
  } as const
  return {
    condition: sql`${exists(sql`uploads.file_id`)}
      AND EXISTS (SELECT 1 FROM files WHERE files.id = uploads.file_id AND ${revisionIn(expected)})`,
    columns: {},
    statements: (completion_id) => [
      enqueueContentDeletion(ctx, isTarget(completion_id), now + ctx.config.DOWNLOAD_URL_TTL),
      sql`UPDATE files SET ${assignments(files, changes)},
          (size_bytes, mime_type, object_key) = (SELECT size_bytes, mime_type, id FROM uploads WHERE id = ${id})
        WHERE ${isTarget(completion_id)}`,
    ],
  }
}

/** Makes the object the next version of its asset. An upload for a new asset also creates the asset. */
function assetVersion(
  ctx: RequestContext,
  upload: UploadRow,
  expected: ExpectedRevisions,
  given_name: string | undefined,
): NewContent {
  const { config, user_id } = ctx
  const [asset_id, now] = [newId(user_id), createdAt(seconds(ctx), user_id)]
  const name = given_name ?? upload.name ?? ''
  const isCompleted = (completion_id: string) =>
    sql`uploads.id = ${upload.id} AND completion_id = ${completion_id}`
  const asset = {
    id: asset_id,
    owner_id: sql`owner_id`,
    type: sql`asset_type`,
    name,
    search_name: searchName(name),
    visibility: sql`visibility`,
    public_since: sql`iif(visibility = 'public', ${now}, NULL)`,
    ...newPage(pageColumns(pageOf(upload))),
    created_at: now,
    updated_at: now,
  }
  const version = {
    id: sql`completion_id`,
    asset_id: sql`asset_id`,
    version: sql`current_version + 1`,
    size_bytes: sql`size_bytes`,
    mime_type: sql`mime_type`,
    object_key: sql`uploads.id`,
    checksum_sha256: sql`checksum_sha256`,
    // The statement that completes the upload has cleared them in its row.
    notes: upload.notes,
    created_at: now,
  }
  return {
    condition: sql`(asset_id IS NULL OR EXISTS (
        SELECT 1 FROM game_assets WHERE game_assets.id = uploads.asset_id AND game_assets.owner_id = ${user_id}
          AND deleted_at IS NULL AND ${versionCount} < ${config.MAX_VERSIONS_PER_ASSET}
          AND ${revisionIn(expected)}
      ))`,
    asset_id: upload.asset_id ?? asset_id,
    columns: { asset_id: sql`coalesce(asset_id, ${asset_id})` },
    statements: (completion_id) => [
      insert(
        gameAssets,
        asset,
        sql`FROM uploads WHERE ${isCompleted(completion_id)} AND asset_id = ${asset_id}`,
      ),
      insert(
        assetVersions,
        version,
        sql`FROM uploads JOIN game_assets ON game_assets.id = asset_id WHERE ${isCompleted(completion_id)}`,
      ),
      ...assetCreated(ctx, { id: asset_id }),
      ...versionAdded(ctx, { version_id: completion_id }),
      ...newAssetPublished(ctx, { id: asset_id }),
    ],
  }
}

/** The page that a new asset gets with its first version. */
function pageOf({ page }: UploadRow): AssetPage {
  return page === null ? {} : JSON.parse(page)
}
