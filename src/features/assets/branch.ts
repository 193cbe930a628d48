import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { ApiError } from '../../platform/errors.ts'
import { isInOwnPartition, keepContent, linkToSource, noLink } from '../../platform/shards/link-to-source.ts'
import { isReadable, readable, readOwnAsset } from './access.ts'
import { type Branch, insertBranch, localSource, remoteSource } from './insert-branch.ts'
import { lookBeforeBranching } from './look-before-branching.ts'
import { type AssetRow, assetWithId, type VersionRow, versionOf } from './row.ts'
import type { BranchAsset } from './schema.ts'

/**
 * Creates a private asset of the caller's from a version of an asset that they may read (docs/conformance.md#3-lifecycles). The branch
 * shares the content of the source, which no deletion and no purge can take away meanwhile: a marker keeps content of
 * another partition from before the branch is written (docs/scaling.md). A branch of the caller's own blocked asset is
 * blocked too, so branching does not evade a moderator.
 *
 * An asset and content of the caller's own partition need neither marker nor hint. Otherwise source and caller are looked
 * at first: a branch that would be refused leaves nothing behind.
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
  return createIdempotently(db, key, {
    create: async () => {
      if (isInOwnPartition(ctx, source_id)) {
        const source = localSource(user_id, source_id, { from_version, isOwnContent: true })
        const made = await insertBranch(ctx, newId(user_id), name, { source, link: noLink, key })
        if (made) return made
      }
      const found = await lookBeforeBranching(ctx, source_id, { name, from_version }, key)
      if (!found) return undefined
      const { object_key, version } = found.version
      const id = newId(user_id)
      const isThere = sql`${isReadable(user_id)}
        AND EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = ${source_id} AND version = ${version})`
      return keepContent(ctx, { object_key, asset_id: id }, () =>
        linkToSource(ctx, { source_id, isThere }, (link) =>
          insertBranch(ctx, id, name, {
            source: link.isNear
              ? localSource(user_id, source_id, { from_version: version })
              : remoteSource(found, user_id),
            link,
            key,
          }),
        ),
      )
    },
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
