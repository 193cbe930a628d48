import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { erasedUntil } from '../../platform/db/marks.ts'
import type { assetVersions } from '../../platform/db/schema.ts'
import { keptStatements, type Prepared } from '../../platform/db/sql.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { readable } from './access.ts'
import type { AssetRow } from './row.ts'
import type { UrlOfAsset, WantedUrl } from './url-schema.ts'
import { signedUrl } from './versions.ts'

/**
 * Signs URLs to download versions of assets, in the order of `items`: for each, the URL or the code of the error that
 * `versionUrl` throws. Without a version, the asset's current one. From the primaries: what an owner has just made private has
 * no URL for others.
 *
 * @throws UNAVAILABLE, also when one of several databases does not answer
 */
export async function versionUrls(ctx: RequestContext, items: readonly WantedUrl[]): Promise<UrlOfAsset[]> {
  const wanted = items
    .map(({ asset_id, version }, index) => ({ index, id: asset_id, version }))
    .filter(({ id }) => isId(id))
  const rows = await readByIds(ctx.databases, wanted, versionsOf)
  const byIndex = new Map(rows.map((row) => [row.item_index, row]))
  return Promise.all(
    items.map(async ({ asset_id, version: named }, index) => {
      const asset = readable(byIndex.get(index), ctx.user_id)
      if (!asset) return { asset_id, version: named, code: 'ASSET_NOT_FOUND' }
      const { object_key, mime_type, name, current_version } = asset
      const version = named ?? current_version
      if (object_key === null || mime_type === null) return { asset_id, version, code: 'VERSION_NOT_FOUND' }
      return { asset_id, version, ...(await signedUrl(ctx, name, { object_key, mime_type })) }
    }),
  )
}

/** An item of a request, at its index. */
interface WantedVersion {
  index: number
  id: string
  version: number | undefined
}

type StoredVersion = typeof assetVersions.$inferSelect

/** The asset of an item, and the content of its version: nulls when the asset has no such version. */
interface AssetWithContent
  extends Pick<AssetRow, 'id' | 'owner_id' | 'name' | 'deleted_at' | 'is_listed' | 'current_version'> {
  item_index: number
  object_key: StoredVersion['object_key'] | null
  mime_type: StoredVersion['mime_type'] | null
}

const keptVersions = keptStatements<AssetWithContent>()

/** The statement that reads assets, deleted or not, unless they are erased, each with one version. */
function versionsOf(wanted: readonly WantedVersion[]): Prepared<AssetWithContent> {
  return keptVersions(
    'versions',
    (
      slot,
    ) => sql`SELECT wanted.value ->> 0 AS item_index, asset.id, asset.owner_id, asset.name, asset.deleted_at,
        asset.is_listed, asset.current_version, chosen.object_key, chosen.mime_type
      FROM json_each(${slot('wanted')}) AS wanted CROSS JOIN game_assets AS asset ON asset.id = wanted.value ->> 1
      LEFT JOIN asset_versions AS chosen ON chosen.asset_id = asset.id
        AND chosen.version = coalesce(wanted.value ->> 2, asset.current_version)
      WHERE asset.created_at > ${erasedUntil(sql`asset.owner_id`)}`,
    { wanted: JSON.stringify(wanted.map(({ index, id, version }) => [index, id, version])) },
  )
}
