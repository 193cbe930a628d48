import { type RequestContext, seconds } from '../../platform/context.ts'
import { isWholeNumber, type Page, type PageRequest, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { ApiError } from '../../platform/errors.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { SignedUrl } from '../../platform/storage/presign.ts'
import { newestVersions, readWithVersions, versionColumnsFor } from './access.ts'
import { type AssetRow, type VersionRow, versionOf } from './row.ts'

/** Lists the versions of an asset that the caller may read, newest first. @throws ASSET_NOT_FOUND, INVALID_CURSOR */
export async function listVersions(
  ctx: RequestContext,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<VersionRow>> {
  const list = ['versions', id]
  const after = positionAt(cursor, list, isWholeNumber)
  const page = newestVersions(id, ctx.user_id, limit + 1, after?.key)
  const { versions } = await readWithVersions(ctx, id, page)
  return pageOf(list, versions, limit, (last) => last.version)
}

/** Reads one version of an asset that the caller may read. @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND */
export async function readVersion(
  ctx: RequestContext,
  id: string,
  number: number,
): Promise<{ asset: AssetRow; version: VersionRow }> {
  const columns = versionColumnsFor(ctx.user_id)
  const { asset, versions } = await readWithVersions(ctx, id, versionOf(id, number, columns))
  const [version] = versions
  if (!version) throw new ApiError('VERSION_NOT_FOUND')
  return { asset, version }
}

/**
 * Signs a URL to download a version's content under the asset's name. The URL is valid for DOWNLOAD_URL_TTL.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND
 */
export async function versionUrl(ctx: RequestContext, id: string, number: number): Promise<SignedUrl> {
  const { asset, version } = await readVersion(ctx, id, number)
  return signedUrl(ctx, asset.name, version)
}

/** Signs a URL to download a version's content under the asset's name. */
export function signedUrl(
  ctx: RequestContext,
  name: string,
  { object_key, mime_type }: Pick<VersionRow, 'object_key' | 'mime_type'>,
): Promise<SignedUrl> {
  const disposition = contentDisposition(name, mime_type)
  return ctx.sign.download(object_key, disposition, seconds(ctx), ctx.config.DOWNLOAD_URL_TTL)
}
