import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { isWholeNumber, type Page, type PageRequest, pageOf, positionAt } from '../db/keyset.ts'
import { ApiError } from '../errors.ts'
import { contentDisposition } from '../storage/content-disposition.ts'
import type { SignedUrl } from '../storage/presign.ts'
import { type AssetRow, assetWithId, readable } from './record.ts'
import { type VersionRow, versionColumnsFor, versionOf } from './version-record.ts'

/**
 * An asset that the caller may read, with some of its versions, in one trip: from the nearest copy of the database
 * if it is the caller's own.
 *
 * @throws ASSET_NOT_FOUND
 */
export async function readWithVersions(
  { db, user_id }: RequestContext,
  id: string,
  versions: SQL<VersionRow>,
): Promise<{ asset: AssetRow; versions: VersionRow[] }> {
  const found = await db.readOwnNear(
    () => db.batch({ assets: assetWithId(id), versions }),
    ({ assets: [asset] }) => asset?.owner_id === user_id,
  )
  const asset = readable(found.assets[0], user_id)
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return { asset, versions: found.versions }
}

/** A page of an asset's versions, newest first. @throws ASSET_NOT_FOUND, INVALID_CURSOR */
export async function listVersions(
  ctx: RequestContext,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<VersionRow>> {
  const list = ['versions', id]
  const after = cursor === undefined ? undefined : positionAt(cursor, list, isWholeNumber)
  const { versions: rows } = await readWithVersions(
    ctx,
    id,
    sql`SELECT ${versionColumnsFor(ctx.user_id)} FROM asset_versions
      WHERE asset_id = ${id} ${after ? sql`AND version < ${after.key}` : sql.empty()}
      ORDER BY version DESC LIMIT ${limit + 1}`,
  )
  return pageOf(list, rows, limit, (last) => last.version)
}

/** One version of an asset that the caller may read. @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND */
export async function readVersion(
  ctx: RequestContext,
  id: string,
  number: number,
): Promise<{ asset: AssetRow; version: VersionRow }> {
  const { asset, versions } = await readWithVersions(
    ctx,
    id,
    versionOf(id, number, versionColumnsFor(ctx.user_id)),
  )
  const [version] = versions
  if (!version) throw new ApiError('VERSION_NOT_FOUND')
  return { asset, version }
}

/**
 * A URL to a version's content, valid for DOWNLOAD_URL_TTL, under the asset's name.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND
 */
export async function versionUrl(ctx: RequestContext, id: string, number: number): Promise<SignedUrl> {
  const { asset, version } = await readVersion(ctx, id, number)
  return ctx.sign.download(
    version.object_key,
    contentDisposition(asset.name, version.mime_type),
    seconds(ctx),
    ctx.config.DOWNLOAD_URL_TTL,
  )
}
