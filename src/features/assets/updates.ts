import type { RequestContext } from '../../platform/context.ts'
import type { GetUpdates, UpdateOfAsset } from './release-schema.ts'
import { findContent } from './wanted.ts'

/**
 * Compares the versions of assets that the caller has with those that the caller would get now, in the order of `items`.
 *
 * @throws UNAVAILABLE, also when one of several databases does not answer
 */
export async function findUpdates(
  ctx: RequestContext,
  { items, build }: GetUpdates,
): Promise<UpdateOfAsset[]> {
  const contents = await findContent(
    ctx,
    items.map(({ asset_id, version, channel_key }) => ({ asset_id, channel_key, build, present: version })),
  )
  return contents.map(({ item: { asset_id, present }, found }) => {
    if ('code' in found) return { asset_id, code: found.code }
    const { version, size_bytes, checksum_sha256 } = found
    return version === present
      ? { asset_id, version: null }
      : { asset_id, version, platform: null, size_bytes, checksum_sha256 }
  })
}
