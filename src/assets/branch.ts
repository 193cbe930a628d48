import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createIdempotently, dropExpiredKey, type IdempotencyKey, recordKey } from '../db/idempotency.ts'
import { byId, type Page, type PageRequest, pageOf } from '../db/keyset.ts'
import { createdAt } from '../db/marks.ts'
import { assetVersions, gameAssets } from '../db/schema.ts'
import { insert, keptStatements } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isReadable, readable, readOwnAsset } from './access.ts'
import { beyond, type ListedAsset, listedColumns, positionAfter, withoutErased } from './list.ts'
import { orDuplicate, searchName } from './name.ts'
import { type AssetRow, assetWithId, identity, type VersionRow, versionColumns, versionOf } from './record.ts'
import type { BranchAsset } from './schema.ts'

/** A new asset with its first version. */
export interface Branch {
  asset: AssetRow
  version: VersionRow
}

/**
 * Creates a private asset of the caller's from a version of an asset that they may read (specification §3.4). The branch
 * shares the content of the source. The statement that inserts its version takes the key from the source's row, so no
 * deletion and no purge can come between. A branch of the caller's own blocked asset is blocked too, so branching does
 * not evade a moderator.
 *
 * @throws ASSET_NOT_FOUND, NO_VERSIONS_TO_BRANCH, VERSION_NOT_FOUND, DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED,
 * LIMIT_REACHED (assets, all_versions), IDEMPOTENCY_KEY_REUSED
 */
export async function branchAsset(
  ctx: RequestContext,
  source_id: string,
  { name, from_version }: BranchAsset,
  key?: IdempotencyKey,
): Promise<Branch> {
  const { db, user_id } = ctx
  const [id, now] = [newId(user_id), createdAt(seconds(ctx), user_id)]
  const branched_from_asset_id = sql`source.id`
  const source = sql`FROM game_assets AS source JOIN asset_versions AS from_version
    ON from_version.asset_id = source.id AND from_version.version = coalesce(${from_version ?? null}, source.current_version)
    WHERE source.id = (SELECT id FROM game_assets WHERE id = ${source_id} AND ${isReadable(user_id)})`
  const branch = {
    ...identity(id),
    owner_id: user_id,
    type: sql`source.type`,
    name,
    search_name: searchName(name),
    visibility: 'private' as const,
    blocked: sql`source.blocked`,
    branched_from_asset_id,
    created_at: now,
    updated_at: now,
  }
  const firstVersion = {
    id: newId(user_id),
    asset_id: id,
    version: 1,
    size_bytes: sql`from_version.size_bytes`,
    mime_type: sql`from_version.mime_type`,
    object_key: sql`from_version.object_key`,
    branched_from_asset_id,
    branched_from_version: sql`from_version.version`,
    created_at: now,
  }

  return createIdempotently(db, key, {
    create: async () => {
      const {
        versions: [version],
        assets: [asset],
      } = await orDuplicate(
        db.write({
          usage: ensureUsageRow(ctx),
          branch: insert(gameAssets, branch, source),
          versions: sql<VersionRow>`${insert(assetVersions, firstVersion, source)} RETURNING ${versionColumns}`,
          assets: assetWithId(id),
          expired_key: dropExpiredKey(key),
          key: recordKey(key, sql`SELECT id FROM game_assets WHERE id = ${id}`),
        }),
      )
      return asset && version && { asset, version }
    },
    replay: async (made_id) => {
      const asset = await readOwnAsset(ctx, made_id)
      const [version] = await db.read(versionOf(made_id, 1))
      if (!version) throw new ApiError('ASSET_NOT_FOUND')
      return { asset, version }
    },
    explain: async () => {
      db.usePrimary()
      const {
        assets: [found],
        versions: [version],
      } = await db.read({
        assets: assetWithId(source_id),
        versions: versionOf(source_id, from_version ?? 1),
      })
      return branchError(readable(found, user_id), version, from_version)
    },
  })
}

/** Why an asset can't be branched from a version; undefined when it can. */
function branchError(
  source: AssetRow | undefined,
  version: VersionRow | undefined,
  from_version: number | undefined,
): ApiError | undefined {
  if (!source) return new ApiError('ASSET_NOT_FOUND')
  if (source.current_version === 0)
    return new ApiError('NO_VERSIONS_TO_BRANCH', { detail: 'The asset has no content yet.' })
  if (!version && from_version !== undefined)
    return new ApiError('VERSION_NOT_FOUND', { detail: `The latest version is ${source.current_version}.` })
  return undefined
}

const keptBranches = keptStatements<ListedAsset>()

/**
 * Lists the branches of an asset that the caller may read, newest first: the listed ones and the caller's own. The page
 * is a merge of two indexes, so other users' private branches cost nothing.
 *
 * @throws ASSET_NOT_FOUND, INVALID_CURSOR
 */
export async function listBranches(
  { db, user_id }: RequestContext,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<AssetRow>> {
  const list = ['branches', id]
  const after = positionAfter(cursor, list)
  const isBranch = sql`branched_from_asset_id = ${sql.placeholder('id')} ${beyond(after)}`
  const branches = keptBranches(
    'page',
    () => sql`SELECT ${listedColumns} FROM game_assets INDEXED BY branches_listed
        WHERE ${isBranch} AND is_listed = 1
      UNION ALL
      SELECT ${listedColumns} FROM game_assets INDEXED BY branches_unlisted
        WHERE ${isBranch} AND is_listed = 0 AND deleted_at IS NULL AND owner_id = ${sql.placeholder('user_id')}
      ORDER BY id DESC LIMIT ${sql.placeholder('limit')}`,
    { id, user_id, after, limit: limit + 1 },
  )
  db.usePrimary()
  const { sources, page } = await db.read({ sources: assetWithId(id), page: branches })
  if (!readable(sources[0], user_id)) throw new ApiError('ASSET_NOT_FOUND')
  return withoutErased(pageOf(list, page, limit, byId))
}
