import type { RequestContext } from '../../platform/context.ts'
import { signedUrl } from './read.ts'
import type { UrlOfAsset, WantedUrl } from './version-schema.ts'
import { findContent } from './wanted.ts'

/**
 * Signs URLs to download versions of assets, in the order of `items`: for each, the URL or the code of the error that
 * `versionUrl` throws. Without a version, the one that players get, for the owner too.
 *
 * @throws UNAVAILABLE, also when one of several databases does not answer
 */
export async function versionUrls(ctx: RequestContext, items: readonly WantedUrl[]): Promise<UrlOfAsset[]> {
  const contents = await findContent(ctx, items)
  return Promise.all(
    contents.map(async ({ item: { asset_id }, found }) => {
      if ('code' in found) return { asset_id, ...found }
      const { version, platform, size_bytes, checksum_sha256 } = found
      const of = { version, platform, size_bytes, checksum_sha256 }
      return { asset_id, ...of, ...(await signedUrl(ctx, found.name, found)) }
    }),
  )
}
