import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { ApiError } from '../../platform/errors.ts'
import { isReadable, readable, readOwnAsset } from './access.ts'
import { findSource } from './find-source.ts'
import { isInOwnPartition, linkToSource, noLink } from './hints.ts'
import { type Branch, insertBranch, localSource, remoteSource } from './insert-branch.ts'
import { keepContent } from './markers.ts'
import { type AssetRow, assetWithId, type VersionRow, versionOf } from './row.ts'
import type { BranchAsset } from './schema.ts'

/**
 * Creates a private asset of the caller's from a version of an asset that the caller may read (docs/conformance.md#3-lifecycles).
 * Branch and source share the content, which stays until both are gone. A branch of the caller's own blocked asset is
 * blocked too, so branching does not evade a moderator.
 *
 * @throws ASSET_NOT_FOUND, NO_VERSIONS_TO_BRANCH, VERSION_NOT_FOUND, DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED,
 * LIMIT_REACHED (assets, all_versions), IDEMPOTENCY_KEY_REUSED
 */
export async function branchAsset(
  ctx: RequestContext,
  source_id: string,
  input: BranchAsset,
  key?: IdempotencyKey,
): Promise<Branch> {
  return createIdempotently(ctx.db, key, {
    create: async () =>
      (await branchInPartition(ctx, source_id, input, key)) ?? branchWithLinks(ctx, source_id, input, key),
    replay: (made_id) => readBranch(ctx, made_id),
    explain: () => whyNotBranched(ctx, source_id, input.from_version),
  })
}

/**
 * Branches an asset of the caller's own partition whose content was uploaded there: one batch, without marker and hint.
 * Undefined for any other asset or content.
 */
async function branchInPartition(
  ctx: RequestContext,
  source_id: string,
  { name, from_version }: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<Branch | undefined> {
  if (!isInOwnPartition(ctx, source_id)) return undefined
  const source = localSource(ctx.user_id, source_id, { from_version, mustBeOwnContent: true })
  return insertBranch(ctx, newId(ctx.user_id), name, { source, link: noLink, key })
}

/**
 * Branches any asset: a marker keeps content of another partition from before the branch is written, and a hint leads from
 * a source in another partition to the branch (docs/scaling.md). Source and caller are checked first, so that a refused
 * branch leaves neither behind.
 */
async function branchWithLinks(
  ctx: RequestContext,
  source_id: string,
  input: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<Branch | undefined> {
  const { user_id } = ctx
  const found = await findSource(ctx, source_id, input, key)
  if (!found) return undefined
  const { object_key, version } = found.version
  const id = newId(user_id)
  const isThere = sql`${isReadable(user_id)}
    AND EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = ${source_id} AND version = ${version})`
  return keepContent(ctx, { object_key, asset_id: id }, () =>
    linkToSource(ctx, { source_id, isThere }, (link) => {
      const source = link.isNear
        ? localSource(user_id, source_id, { from_version: version })
        : remoteSource(found, user_id)
      return insertBranch(ctx, id, input.name, { source, link, key })
    }),
  )
}

/** Reads a branch of the caller's with its first version. @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND */
async function readBranch(ctx: RequestContext, id: string): Promise<Branch> {
  const asset = await readOwnAsset(ctx, id)
  const [version] = await ctx.db.read(versionOf(id, 1))
  if (!version) throw new ApiError('VERSION_NOT_FOUND', { detail: 'Version 1 of the branch was deleted.' })
  return { asset, version }
}

/** Why no branch was written, after nothing was; undefined when the reason is gone. */
async function whyNotBranched(
  { databases, user_id }: RequestContext,
  source_id: string,
  from_version: number | undefined,
): Promise<ApiError | undefined> {
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
}

/**
 * Why a user can't branch an asset from a version; undefined when the user can. `source`: the asset, if the user may read
 * it. `version`: the version `from_version`, if the asset has it.
 */
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
