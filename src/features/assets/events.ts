import { type SQL, sql } from 'drizzle-orm'
import type { Prepared } from '../../platform/db/sql.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'

/*
 * The statements that write the events of assets: an event for each row of `game_assets`, or of `asset_versions`, that
 * `which` selects.
 */

const [asset_id, owner_id, type] = [sql`id`, sql`owner_id`, sql`type`]

/** The events of new assets. They follow the statement that creates the assets, in its batch. */
export function assetCreated(ctx: EventContext, which: SQL): Prepared[] {
  const [visibility, branched_from_asset_id] = [sql`visibility`, sql`branched_from_asset_id`]
  return eventStatement(ctx, 'asset.created', () => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, type, visibility, branched_from_asset_id },
    from: sql`FROM game_assets WHERE ${which}`,
  }))
}

/**
 * The events of assets that other users can see from this batch on, and could not see before. `which` selects the assets
 * as they are at this place in the batch.
 */
export function assetPublished(ctx: EventContext, which: SQL): Prepared[] {
  return eventStatement(ctx, 'asset.published', () => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, type },
    from: sql`FROM game_assets WHERE ${which}`,
  }))
}

const version = {
  asset_id: sql`asset_id`,
  owner_id: sql`(SELECT asset.owner_id FROM game_assets AS asset WHERE asset.id = asset_versions.asset_id)`,
  version_id: sql`id`,
  version: sql`version`,
}

/** The events of new versions. They follow the statement that adds the versions, in its batch. */
export function versionAdded(ctx: EventContext, which: SQL): Prepared[] {
  return eventStatement(ctx, 'asset.version_added', () => ({
    resource_id: sql`asset_id`,
    data: { ...version, size_bytes: sql`size_bytes` },
    from: sql`FROM asset_versions WHERE ${which}`,
  }))
}

/** The events of versions that are deleted alone. They precede the statement that deletes the versions, in its batch. */
export function versionDeleted(ctx: EventContext, which: SQL): Prepared[] {
  return eventStatement(ctx, 'asset.version_deleted', () => ({
    resource_id: sql`asset_id`,
    data: version,
    from: sql`FROM asset_versions WHERE ${which}`,
  }))
}

/** The events of deleted assets. They precede the statement that deletes the assets, in its batch. */
export function assetDeleted(ctx: EventContext, which: SQL, permanent: boolean): Prepared[] {
  return eventStatement(ctx, 'asset.deleted', () => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, permanent },
    from: sql`FROM game_assets WHERE ${which}`,
  }))
}
