import { sql } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions, revisionError } from '../../platform/db/revision.ts'
import { assetChannels } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { updatedAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { writeAsset } from '../catalogue/write.ts'
import { canChange, ownAsset, readOwnVersion } from './access.ts'
import { assetReleased } from './events.ts'
import { LIVE, type SetChannel } from './release-schema.ts'

/*
 * The channels of assets (docs/conformance.md#releases). Triggers of `asset_channels` raise the asset's revision, and keep what others get
 * (migrations/0023_channels.sql).
 */

/** A row of `asset_channels`, as its asset's owner sees it. */
type ChannelRow = Omit<typeof assetChannels.$inferSelect, 'asset_id'>

const columns = sql`channel, version, key, updated_at`

const channelsOf = statement(
  (p: Params<'id'>) =>
    sql<ChannelRow>`SELECT ${columns} FROM asset_channels WHERE asset_id = ${p.id} ORDER BY channel`,
)

/** Lists the channels of an asset of the caller's. @throws ASSET_NOT_FOUND */
export async function listChannels({ db, user_id }: RequestContext, id: string): Promise<ChannelRow[]> {
  const { assets, channels } = await db.read({
    assets: ownAsset({ id, user_id }),
    channels: channelsOf({ id }),
  })
  if (assets.length === 0) throw new ApiError('ASSET_NOT_FOUND')
  return channels
}

type Change = Params<'id' | 'user_id' | 'expected' | 'channel' | 'now'>

const isOwnChannel = (p: Change) => sql`asset_id = ${p.id} AND channel = ${p.channel}
  AND EXISTS (SELECT 1 FROM game_assets WHERE ${canChange(p)})`

const hasVersion = (p: Params<'id' | 'version'>) =>
  sql`EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = ${p.id} AND version = ${p.version})`

/** A key that is there stays, and that of `live` is null. */
const set = statement((p: Change & Params<'version' | 'key'>) => {
  const row = {
    asset_id: p.id,
    channel: p.channel,
    version: p.version,
    key: p.key,
    updated_at: updatedAt(p.now),
  }
  return sql<ChannelRow>`${insert(assetChannels, row, sql`FROM game_assets WHERE ${canChange(p)} AND ${hasVersion(p)}`)}
    ON CONFLICT (asset_id, channel) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at
    RETURNING ${columns}`
})

const released = assetReleased(
  (p: Params<'id' | 'user_id' | 'expected' | 'version'>) => sql`${canChange(p)} AND ${hasVersion(p)}`,
  // A bound number is a REAL.
  (p) => sql`CAST(${p.version} AS INTEGER)`,
)

/**
 * Has a channel of an asset of the caller's serve a version, and makes the channel if it is not there.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND, PRECONDITION_FAILED, LIMIT_REACHED (channels)
 */
export async function setChannel(
  ctx: RequestContext,
  id: string,
  channel: string,
  { version }: SetChannel,
  expected: ExpectedRevisions = null,
): Promise<ChannelRow> {
  const { db, user_id } = ctx
  const key = channel === LIVE ? null : base64url.encode(crypto.getRandomValues(new Uint8Array(24)))
  const own = { id, user_id, expected: listOfRevisions(expected), version }
  const statements = {
    events: channel === LIVE ? released(ctx, own) : [],
    set: set({ ...own, channel, key, now: seconds(ctx) }),
  }
  return retryOnConflict(async () => {
    const {
      set: [row],
    } = await writeAsset(ctx, db, statements, { asset_id: id })
    if (row) return row
    const { asset } = await readOwnVersion(ctx, id, version)
    const error = revisionError(asset, expected, 'asset')
    if (error) throw error
    return undefined
  })
}

const touched = statement(
  (
    p: Change,
  ) => sql`UPDATE asset_channels SET updated_at = (SELECT ${updatedAt(p.now)} FROM game_assets WHERE id = ${p.id})
    WHERE ${isOwnChannel(p)}`,
)

const removed = statement(
  (p: Change) =>
    sql<Pick<ChannelRow, 'channel'>>`DELETE FROM asset_channels WHERE ${isOwnChannel(p)} RETURNING channel`,
)

const withdrawn = assetReleased(
  (p: Params<'id' | 'user_id' | 'expected'>) => sql`${canChange(p)} AND live_version IS NOT NULL`,
  () => sql`current_version`,
)

/**
 * Deletes a channel of an asset of the caller's. Without `live`, others get the current version.
 *
 * @throws ASSET_NOT_FOUND, CHANNEL_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteChannel(
  ctx: RequestContext,
  id: string,
  channel: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const { db, user_id } = ctx
  const change = { id, user_id, expected: listOfRevisions(expected), channel, now: seconds(ctx) }
  const statements = {
    events: channel === LIVE ? withdrawn(ctx, change) : [],
    // The trigger of the deletion takes the time from the row.
    touched: touched(change),
    removed: removed(change),
  }
  await retryOnConflict(async () => {
    const { removed: rows } = await writeAsset(ctx, db, statements, { asset_id: id })
    if (rows.length > 0) return rows
    const {
      assets: [asset],
      channels,
    } = await db.read({ assets: ownAsset({ id, user_id }), channels: channelsOf({ id }) })
    if (!asset) throw new ApiError('ASSET_NOT_FOUND')
    if (!channels.some((one) => one.channel === channel)) throw new ApiError('CHANNEL_NOT_FOUND')
    const error = revisionError(asset, expected, 'asset')
    if (error) throw error
    return undefined
  })
}
