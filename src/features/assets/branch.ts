import type { RequestContext } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { ApiError } from '../../platform/errors.ts'
import { readable, readOwnAsset } from './access.ts'
import { branchAcross } from './branch-across.ts'
import { type Branch, type BranchSource, insertBranch, localSource } from './insert-branch.ts'
import { type AssetRow, assetWithId, type VersionRow, versionOf } from './record.ts'
import type { BranchAsset } from './schema.ts'

/**
 * Creates a private asset of the caller's from a version of an asset that they may read
 * (docs/conformance.md#3-lifecycles). The branch shares the content of the source. The statement that inserts its
 * version takes the key from the source's row, so no deletion and no purge can come between; with several databases, a
 * marker protects the content (branch-across.ts). A branch of the caller's own blocked asset is blocked too, so
 * branching does not evade a moderator.
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
  const { db, databases, user_id } = ctx
  const make = (id: string, source: BranchSource) => insertBranch(ctx, id, name, source, key)
  return createIdempotently(db, key, {
    create: () =>
      databases.isOnly
        ? make(newId(user_id), localSource(user_id, source_id, from_version))
        : branchAcross(ctx, source_id, { name, from_version }, key, make),
    replay: async (made_id) => {
      const asset = await readOwnAsset(ctx, made_id)
      const [version] = await db.read(versionOf(made_id, 1))
      if (!version) throw new ApiError('ASSET_NOT_FOUND')
      return { asset, version }
    },
    explain: async () => {
      const home = databases.of(source_id)
      home.usePrimary()
      const {
        assets: [found],
        versions: [version],
      } = await home.read({
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
