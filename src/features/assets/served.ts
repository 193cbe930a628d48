import { type SQL, sql } from 'drizzle-orm'
import type { Params } from '../../platform/db/sql.ts'
import { updatedAt } from '../../platform/db/watermark.ts'
import type { AssetRow } from './row.ts'

/*
 * What others than an asset's owner see of it (docs/conformance.md#releases): the asset as of `served_version`, which is that of the channel
 * `live`, or the current one without that channel. Changes above it are hidden from them: neither the revision that they see, nor
 * `updated_at`, nor the entry in the catalogue changes.
 */

/** The columns of an asset of which others see other values than its owner. */
type Released = Pick<
  AssetRow,
  'current_version' | 'served_version' | 'revision' | 'unseen_changes' | 'updated_at' | 'unseen_updated_at'
>

/** An asset as others than its owner see it. */
export function asOthersSee<Asset extends Released>(asset: Asset): Asset {
  const { served_version, revision, unseen_changes } = asset
  return {
    ...asset,
    current_version: served_version,
    revision: revision - unseen_changes,
    unseen_changes: 0,
    unseen_updated_at: null,
  }
}

/** The channel that a key names, of the asset in the same row; nulls when the asset has none with the key. */
export interface ChannelRow {
  channel_version: number | null
  channel_updated_at: number | null
}

/** An asset as of a channel, to whoever may read it. */
export function asOfChannel<Asset extends Released>(
  asset: Asset,
  { channel_version, channel_updated_at }: { [Name in keyof ChannelRow]: number },
): Asset {
  const seen = asOthersSee(asset)
  return {
    ...seen,
    current_version: channel_version,
    updated_at: Math.max(seen.updated_at, channel_updated_at),
  }
}

/**
 * SQL: the columns of a ChannelRow, as a table to be joined with `LEFT JOIN … ON true`. Without a key it reads no row, because no
 * channel's `asset_id` is null.
 */
export function channelOf({ id, channel_key }: Params<'id' | 'channel_key'>): SQL {
  return sql`(SELECT version AS channel_version, updated_at AS channel_updated_at FROM asset_channels
    WHERE asset_id = iif(${channel_key} IS NULL, NULL, ${id}) AND key = ${channel_key})`
}

/**
 * SQL: the highest version of a row of `game_assets` that somebody may name, and gets by default: with a key that of its channel
 * (`channel_version`), else all to the owner, and to others what is served. NULL as `user_id`: others.
 */
export function ceilingOf(p: Params<'channel_key' | 'user_id'>, channel_version: SQL): SQL {
  const ofViewer = sql`iif(owner_id IS ${p.user_id}, current_version, served_version)`
  return sql`iif(${p.channel_key} IS NULL, ${ofViewer}, ${channel_version})`
}

/**
 * SQL: what a row of `game_assets` gets when something about one of its versions changes at `now` (Unix seconds). Others do not see it
 * above the version that they are served.
 */
export function changesOfVersion(version: SQL, now: SQL) {
  const isSeen = sql`${version} <= served_version`
  return {
    revision: sql`revision + 1`,
    unseen_changes: sql`unseen_changes + iif(${isSeen}, 0, 1)`,
    updated_at: sql`iif(${isSeen}, ${updatedAt(now)}, updated_at)`,
    unseen_updated_at: sql`iif(${isSeen}, unseen_updated_at, ${updatedAt(now)})`,
  }
}
