import type { RequestContext } from '../context.ts'
import type { GameAssetType } from '../db/schema.ts'
import { ApiError } from '../errors.ts'
import { type AssetRow, assetWithId } from './record.ts'
import { newestVersions, type VersionRow } from './version-record.ts'

/** A public asset of that type, with its latest version, if it has one. @throws ASSET_NOT_FOUND */
export async function readPublicAsset(
  { db, user_id }: RequestContext,
  type: GameAssetType,
  id: string,
): Promise<{ asset: AssetRow; versions: VersionRow[] }> {
  db.usePrimary()
  const {
    assets: [asset],
    versions,
  } = await db.batch({ assets: assetWithId(id), versions: newestVersions(id, 1, user_id) })
  if (asset?.is_listed !== 1 || asset.type !== type) throw new ApiError('ASSET_NOT_FOUND')
  return { asset, versions }
}
