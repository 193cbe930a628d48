import type { z } from '@hono/zod-openapi'
import { type SQL, sql } from 'drizzle-orm'
import { assetVersions } from '../db/schema.ts'
import { columnsOf } from '../db/sql.ts'
import { isReadable } from './record.ts'
import type { Version } from './version-schema.ts'

/** A row of `asset_versions`, and whether its reader may know what it was branched from. */
export type VersionRow = typeof assetVersions.$inferSelect & { tells_source: 0 | 1 }

const stored = columnsOf(assetVersions)

/** The columns of a VersionRow for the asset's owner. */
export const versionColumns = sql`${stored}, 1 AS tells_source`

/**
 * The columns of a VersionRow for anybody: a branch tells its source to its owner, and to those who may read the
 * source. Only a branch's first version costs the two look-ups.
 */
export function versionColumnsFor(user_id: string): SQL {
  const isOwn = sql`SELECT 1 FROM game_assets AS branch
    WHERE branch.id = asset_versions.asset_id AND branch.owner_id = ${user_id}`
  const isSourceReadable = sql`SELECT 1 FROM game_assets AS source
    WHERE source.id = asset_versions.branched_from_asset_id AND ${isReadable(user_id)}`
  return sql`${stored},
    branched_from_asset_id IS NULL OR EXISTS (${isOwn}) OR EXISTS (${isSourceReadable}) AS tells_source`
}

/** The statement that reads one version of an asset, whoever may see it. */
export function versionOf(asset_id: string, version: number, columns = versionColumns): SQL<VersionRow> {
  return sql`SELECT ${columns} FROM asset_versions WHERE asset_id = ${asset_id} AND version = ${version}`
}

/** The statement that reads an asset's newest versions, newest first, for a user. */
export function newestVersions(asset_id: string, count: number, user_id: string): SQL<VersionRow> {
  return sql`SELECT ${versionColumnsFor(user_id)} FROM asset_versions WHERE asset_id = ${asset_id}
    ORDER BY version DESC LIMIT ${count}`
}

/** A version as the API shows it (specification §2.7): without a word of where its content lies. */
export function versionRecord(version: VersionRow): z.output<typeof Version> {
  const { id, asset_id, size_bytes, created_at, tells_source } = version
  return {
    id,
    asset_id,
    version: version.version,
    size_bytes,
    created_at,
    branched_from_asset_id: tells_source ? version.branched_from_asset_id : null,
    branched_from_version: tells_source ? version.branched_from_version : null,
  }
}
