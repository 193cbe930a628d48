import type { z } from '@hono/zod-openapi'
import sql, { type Sql } from 'sql-template-tag'
import type { Version } from './schema.ts'

/** A row of `asset_versions`. */
export interface VersionRow extends z.output<typeof Version> {
  mime_type: string
  object_key: string
}

export const versionColumns = sql`id, asset_id, version, size_bytes, created_at, branched_from_asset_id,
  branched_from_version, mime_type, object_key`

/** The statement that reads one version of an asset, whoever may see it. */
export function versionOf(asset_id: string, version: number): Sql {
  return sql`SELECT ${versionColumns} FROM asset_versions WHERE asset_id = ${asset_id} AND version = ${version}`
}

/** The statement that reads an asset's newest versions, newest first. */
export function newestVersions(asset_id: string, count: number): Sql {
  return sql`SELECT ${versionColumns} FROM asset_versions WHERE asset_id = ${asset_id}
    ORDER BY version DESC LIMIT ${count}`
}

/** A version as the API shows it (specification §2.7): without a word of where its content lies. */
export function versionRecord(version: VersionRow): z.output<typeof Version> {
  const { id, asset_id, size_bytes, created_at, branched_from_asset_id, branched_from_version } = version
  return {
    id,
    asset_id,
    version: version.version,
    size_bytes,
    created_at,
    branched_from_asset_id,
    branched_from_version,
  }
}
