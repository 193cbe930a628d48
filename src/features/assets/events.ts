import { type SQL, sql } from 'drizzle-orm'
import type { Params } from '../../platform/db/sql.ts'
import { eventWriter } from '../../platform/events/record.ts'

/*
 * The statements that write the events of assets. `which` selects rows of `game_assets`: an event is written for each.
 */

const [asset_id, owner_id, type] = [sql`id`, sql`owner_id`, sql`type`]

/** The event of a new asset. It follows the statement that creates the asset, in its batch. */
export const assetCreated = eventWriter('asset.created', (p: Params<'id'>) => ({
  resource_id: asset_id,
  data: {
    asset_id,
    owner_id,
    type,
    visibility: sql`visibility`,
    branched_from_asset_id: sql`branched_from_asset_id`,
  },
  from: sql`FROM game_assets WHERE id = ${p.id}`,
}))

/**
 * The events of assets that other users can see from this batch on, and could not see before. `which` selects the assets
 * as they are at this place in the batch.
 */
export function assetPublished<Name extends string>(which: (p: Params<Name>) => SQL) {
  return eventWriter('asset.published', (p: Params<Name>) => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, type },
    from: sql`FROM game_assets WHERE ${which(p)}`,
  }))
}

/** The event of a new asset that other users can see at once. It follows `assetCreated`. */
export const newAssetPublished = assetPublished((p: Params<'id'>) => sql`id = ${p.id} AND is_listed = 1`)

/**
 * The events of assets of which others get another version from this batch on: `version`, of the assets that `which` selects. They precede
 * the statement that changes the channel `live`.
 */
export function assetReleased<Name extends string>(
  which: (p: Params<Name>) => SQL,
  version: (p: Params<Name>) => SQL,
) {
  return eventWriter('asset.released', (p: Params<Name>) => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, version: version(p), previous_version: sql`served_version` },
    from: sql`FROM game_assets WHERE ${which(p)} AND served_version <> ${version(p)}`,
  }))
}

/** The events of deleted assets. They precede the statement that deletes the assets, in its batch. */
export function assetDeleted<Name extends string>(which: (p: Params<Name>) => SQL, permanent: boolean) {
  return eventWriter('asset.deleted', (p: Params<Name>) => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, permanent },
    from: sql`FROM game_assets WHERE ${which(p)}`,
  }))
}

const version = {
  asset_id: sql`asset_id`,
  owner_id: sql`(SELECT asset.owner_id FROM game_assets AS asset WHERE asset.id = asset_versions.asset_id)`,
  version_id: sql`id`,
  version: sql`version`,
}

/** The event of a new version. It follows the statement that adds the version, in its batch. */
export const versionAdded = eventWriter('asset.version_added', (p: Params<'version_id'>) => ({
  resource_id: sql`asset_id`,
  data: { ...version, size_bytes: sql`size_bytes` },
  from: sql`FROM asset_versions WHERE id = ${p.version_id}`,
}))

/**
 * The events of versions that are deleted alone. They precede the statement that deletes the versions, in its batch. `which`
 * selects rows of `asset_versions`.
 */
export function versionDeleted<Name extends string>(which: (p: Params<Name>) => SQL) {
  return eventWriter('asset.version_deleted', (p: Params<Name>) => ({
    resource_id: sql`asset_id`,
    data: version,
    from: sql`FROM asset_versions WHERE ${which(p)}`,
  }))
}
