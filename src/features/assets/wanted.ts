import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { joined, type Params, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { mayRead } from './access.ts'
import type { AssetRow, VersionRow } from './row.ts'
import type { urlErrors } from './version-schema.ts'

/** What a caller wants of an asset: a version, or by default what players get, or what the channel of the key serves. */
export interface Wanted {
  asset_id: string
  version?: number | undefined
  channel_key?: string | undefined
  /** Only a version that this build can read: the highest, up to the default. */
  build?: number | undefined
  /** Only the content for this platform, or for all; default: the version's own. */
  platform?: string | undefined
}

/** The content that a caller gets. */
export interface WantedContent
  extends Pick<
    VersionRow,
    'version' | 'platform' | 'object_key' | 'mime_type' | 'size_bytes' | 'checksum_sha256'
  > {
  /** The name of the asset. */
  name: string
}

/** Why a caller gets nothing, and the number of the version that is not there. */
export interface Missing {
  code: (typeof urlErrors)[number]
  version: number | undefined
}

/**
 * The most versions that one request looks through for those that a build can read, where none of the newest fits; its items share them
 * (SECURITY.md#what-one-account-can-cost).
 */
const MOST_LOOKED_THROUGH = 10_000

/** The asset of an item, its default version, and its chosen one: nulls when the asset has no such version. */
type ContentRow = Pick<AssetRow, 'id' | 'owner_id' | 'name' | 'deleted_at' | 'is_listed' | 'rating'> & {
  item_index: number
  /** null: no channel has the key. */
  default_version: number | null
  /** Whether the content is for the platform of the item, or for all. */
  is_for_platform: 0 | 1
} & { [Name in keyof Omit<WantedContent, 'name'>]: WantedContent[Name] | null }

/**
 * `wanted`: a JSON list of index, id, version, key, build and platform, the last four of which may be null. Reads assets, deleted or not,
 * unless they are erased.
 */
const contentOf = statement((p: Params<'wanted' | 'user_id' | 'looked_through'>) => {
  const default_version = sql`iif(channel_key IS NULL, asset.served_version, channel.version)`
  const ceiling = sql`iif(channel_key IS NULL AND asset.owner_id = ${p.user_id}, asset.current_version, ${default_version})`
  const fitting = sql`SELECT version FROM (
      SELECT version, min_build, max_build FROM asset_versions
      WHERE asset_id = asset.id AND version <= ${default_version} ORDER BY version DESC LIMIT ${p.looked_through}
    ) WHERE (min_build IS NULL OR min_build <= build) AND (max_build IS NULL OR max_build >= build) LIMIT 1`
  const content = joined(
    ['platform', 'object_key', 'mime_type', 'size_bytes', 'checksum_sha256'].map((name) =>
      sql.raw(`iif(variant.platform IS NULL, chosen.${name}, variant.${name}) AS ${name}`),
    ),
    ', ',
  )
  return sql<ContentRow>`WITH wanted AS (
      SELECT value ->> 0 AS item_index, value ->> 1 AS asset_id, value ->> 2 AS named, value ->> 3 AS channel_key, value ->> 4 AS build,
        value ->> 5 AS platform
      FROM json_each(${p.wanted}))
    SELECT item_index, asset.id, asset.owner_id, asset.name, asset.deleted_at, asset.is_listed, asset.rating,
      ${default_version} AS default_version, chosen.version,
      variant.platform IS NOT NULL OR wanted.platform IS NULL OR chosen.platform IS NULL OR chosen.platform = wanted.platform AS is_for_platform,
      ${content}
    FROM wanted CROSS JOIN game_assets AS asset ON asset.id = wanted.asset_id
    LEFT JOIN asset_channels AS channel ON channel.asset_id = iif(channel_key IS NULL, NULL, asset.id) AND channel.key = channel_key
    LEFT JOIN asset_versions AS chosen ON chosen.asset_id = asset.id AND chosen.version <= ${ceiling}
      AND chosen.version = coalesce(named, iif(build IS NULL, ${default_version}, (${fitting})))
    LEFT JOIN asset_variants AS variant ON variant.asset_id = chosen.asset_id AND variant.version = chosen.version
      AND variant.platform = wanted.platform
    WHERE asset.created_at > ${erasedUntil(sql`asset.owner_id`)}`
})

/**
 * Finds the content that the caller gets of assets: each item with it, in their order. One trip a database, from the primaries: what an
 * owner has just made private is not there for others.
 *
 * @throws UNAVAILABLE, also when one of several databases does not answer
 */
export async function findContent<Item extends Wanted>(
  ctx: RequestContext,
  items: readonly Item[],
): Promise<{ item: Item; found: WantedContent | Missing }[]> {
  const wanted = items
    .map(({ asset_id, version, channel_key, build, platform }, index) => ({
      id: asset_id,
      item: [index, asset_id, version ?? null, channel_key ?? null, build ?? null, platform ?? null],
    }))
    .filter(({ id }) => isId(id))
  const looked_through = Math.floor(MOST_LOOKED_THROUGH / items.length)
  const rows = await readByIds(ctx.databases, wanted, (some) =>
    contentOf({ wanted: JSON.stringify(some.map(({ item }) => item)), user_id: ctx.user_id, looked_through }),
  )
  const byIndex = new Map(rows.map((row) => [row.item_index, row]))
  return items.map((item, index) => ({ item, found: foundFor(ctx, item, byIndex.get(index)) }))
}

function foundFor(
  ctx: RequestContext,
  { version: named, channel_key, build }: Wanted,
  row: ContentRow | undefined,
): WantedContent | Missing {
  if (!row || !mayRead(row, ctx)) return { code: 'ASSET_NOT_FOUND', version: named }
  const { default_version, version, platform, object_key, mime_type, size_bytes, checksum_sha256, name } = row
  if (channel_key !== undefined && default_version === null)
    return { code: 'CHANNEL_NOT_FOUND', version: named }
  if (version !== null && row.is_for_platform === 0) return { code: 'VARIANT_NOT_FOUND', version }
  if (version !== null && object_key !== null && mime_type !== null && size_bytes !== null)
    return { version, platform, object_key, mime_type, size_bytes, checksum_sha256, name }
  const missing = build === undefined ? (default_version ?? undefined) : undefined
  return { code: 'VERSION_NOT_FOUND', version: named ?? missing }
}
