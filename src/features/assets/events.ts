import { type SQL, sql } from 'drizzle-orm'
import type { Rendered } from '../../platform/db/sql.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'

/*
 * The statements that write the events of assets. Each takes the rows of `game_assets`, or of `asset_versions`, that its
 * condition selects.
 */

const [asset_id, owner_id, type] = [sql`id`, sql`owner_id`, sql`type`]

/** For the batch that creates an asset, after the statement that does. */
export function assetCreated(ctx: EventContext, which: SQL): Rendered[] {
  const [visibility, branched_from_asset_id] = [sql`visibility`, sql`branched_from_asset_id`]
  return eventStatement(ctx, 'asset.created', () => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, type, visibility, branched_from_asset_id },
    from: sql`FROM game_assets WHERE ${which}`,
  }))
}

/** For the batch after which others can see an asset, and could not before. */
export function assetPublished(ctx: EventContext, which: SQL): Rendered[] {
  return eventStatement(ctx, 'asset.published', () => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, type },
    from: sql`FROM game_assets WHERE ${which}`,
  }))
}

/** For the batch that adds a version, after the statement that does. */
export function versionAdded(ctx: EventContext, which: SQL): Rendered[] {
  return eventStatement(ctx, 'asset.version_added', () => ({
    resource_id: sql`asset_id`,
    data: {
      asset_id: sql`asset_id`,
      owner_id: sql`(SELECT asset.owner_id FROM game_assets AS asset WHERE asset.id = asset_versions.asset_id)`,
      version_id: sql`id`,
      version: sql`version`,
      size_bytes: sql`size_bytes`,
    },
    from: sql`FROM asset_versions WHERE ${which}`,
  }))
}

/** For the batch that deletes assets, before the statement that does. */
export function assetDeleted(ctx: EventContext, which: SQL, permanent: boolean): Rendered[] {
  return eventStatement(ctx, 'asset.deleted', () => ({
    resource_id: asset_id,
    data: { asset_id, owner_id, permanent },
    from: sql`FROM game_assets WHERE ${which}`,
  }))
}
