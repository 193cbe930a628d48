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
    items.map(({ version: present, ...item }) => ({ ...item, build, present })),
  )
  return contents.map(({ item: { asset_id, present }, found }) => {
    if ('code' in found) return { asset_id, code: found.code }
    const { version, platform, size_bytes, checksum_sha256 } = found
    return version === present
      ? { asset_id, version: null }
      : { asset_id, version, platform, size_bytes, checksum_sha256 }
  })
}
