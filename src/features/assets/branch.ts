import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently, type IdempotencyKey, isKnown, probeKey } from '../../platform/db/idempotency.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { nearOrFar } from '../../platform/shards/near.ts'
import { roomOf, whyNoRoom } from '../quota/usage.ts'
import { readable, readOwnAsset } from './access.ts'
import { isInOwnPartition, linkToSource, noLink } from './hints.ts'
import { type Branch, channelVersion, type FoundSource, insertBranch } from './insert-branch.ts'
import { keepContents } from './markers.ts'
import { duplicateName, probeName } from './name.ts'
import { type AssetRow, assetWithId, type VersionRow, versionColumns, versionOf } from './row.ts'
import type { BranchAsset } from './schema.ts'
import { type ChannelRow, ceilingOf, channelOf } from './served.ts'
import { type VariantRow, variantsOf } from './variants.ts'

/**
 * Creates a private asset of the caller's from a version, with its variants, of an asset that the caller may read
 * (docs/conformance.md#game-assets). Branch and source share the contents, which stay until both are gone. A branch of the caller's own asset takes over what a
 * moderator did to it, so branching does not evade one. A branch has the rating of its source at least.
 *
 * @throws ASSET_NOT_FOUND, CHANNEL_NOT_FOUND, NO_VERSIONS_TO_BRANCH, VERSION_NOT_FOUND, DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED,
 * LIMIT_REACHED (assets, all_versions, idempotency_keys), IDEMPOTENCY_KEY_REUSED
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
    explain: () => whyNotBranched(ctx, source_id, input),
  })
}

/**
 * Branches an asset of the caller's own partition whose contents were uploaded there: one batch, without marker and hint.
 * Undefined for any other asset or content.
 */
async function branchInPartition(
  ctx: RequestContext,
  source_id: string,
  { name, from_version, channel_key, rating }: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<Branch | undefined> {
  if (!isInOwnPartition(ctx, source_id)) return undefined
  return insertBranch(ctx, 'own', {
    id: newId(ctx.user_id),
    name,
    rating,
    source_id,
    from_version,
    object_keys: null,
    channel_key,
    link: noLink,
    key,
  })
}

/**
 * Branches any asset: markers keep contents of other partitions from before the branch is written, and a hint leads from
 * a source in another partition to the branch (docs/scaling.md). Source and caller are checked first, so that a refused
 * branch leaves neither behind. The branch gets the variants that were found then: while one was deleted since, it is tried again.
 */
async function branchWithLinks(
  ctx: RequestContext,
  source_id: string,
  input: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<Branch | undefined> {
  const found = await findSource(ctx, source_id, input, key)
  if (!found) return undefined
  const { version } = found.version
  const { name, rating, channel_key } = input
  const object_keys = contentsOf(found).map(({ object_key }) => object_key)
  const branch = {
    id: newId(ctx.user_id),
    name,
    rating,
    source_id,
    from_version: version,
    object_keys: JSON.stringify(variantsOf(found.version).map(({ object_key }) => object_key)),
    channel_key,
    found,
    key,
  }
  return keepContents(ctx, { object_keys, asset_id: branch.id }, () =>
    linkToSource(ctx, { source_id, version, object_keys: branch.object_keys }, (link) =>
      insertBranch(ctx, link.isNear ? 'near' : 'far', { ...branch, link }),
    ),
  )
}

/** The contents of a source: that of the version, and those of its variants. */
function contentsOf({ version }: FoundSource): Pick<VariantRow, 'object_key' | 'size_bytes'>[] {
  return [version, ...variantsOf(version)]
}

/** Reads the version `from_version` of the source; NULL: the latest one that the caller gets. */
const sourceVersion = statement(
  (
    p: Params<'source_id' | 'from_version' | 'channel_key' | 'user_id'>,
  ) => sql<VersionRow>`SELECT ${versionColumns}
    FROM asset_versions WHERE asset_id = ${p.source_id} AND version = coalesce(${p.from_version},
      (SELECT ${ceilingOf(p, channelVersion(p))} FROM game_assets WHERE id = ${p.source_id}))`,
)

const channelWithKey = statement(
  (p: Params<'id' | 'channel_key'>) => sql<ChannelRow>`SELECT * FROM ${channelOf(p)}`,
)

/** The highest version of a source, as the caller sees it, that the caller may name; undefined: no channel has the key. */
function ceilingIn(
  source: AssetRow,
  channel_key: string | undefined,
  [channel]: ChannelRow[],
): number | undefined {
  return channel_key === undefined ? source.current_version : (channel?.channel_version ?? undefined)
}

/**
 * Finds the version to branch from, and checks that the caller may have one more branch, before a marker or a hint is
 * written for it. Undefined when the caller may read no such version, or when an earlier request has used the key.
 *
 * The reads go through the fence of writes: while a partition moves, they fail as the branch would.
 *
 * @throws DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED, LIMIT_REACHED (assets, all_versions, idempotency_keys), as the batch
 * that writes the branch would; UNAVAILABLE
 */
async function findSource(
  ctx: RequestContext,
  source_id: string,
  { name, from_version, channel_key }: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<FoundSource | undefined> {
  const { db, databases, config, user_id } = ctx
  const home = databases.of(source_id)
  const ofSource = {
    assets: assetWithId({ id: source_id }),
    versions: sourceVersion({
      source_id,
      from_version: from_version ?? null,
      channel_key: channel_key ?? null,
      user_id,
    }),
    channels: channelWithKey({ id: source_id, channel_key: channel_key ?? null }),
  }
  const ofCaller = {
    names: probeName({ name, user_id }),
    rooms: roomOf({ user_id }),
    keys: probeKey(key, config.MAX_IDEMPOTENCY_KEYS),
  }
  const {
    assets: [asset],
    versions: [version],
    channels,
    names: [name_row],
    rooms: [room],
    keys,
  } = await nearOrFar(db, home, {
    near: (condition) => db.write({ ...ofSource, ...ofCaller }, condition),
    far: async () => {
      const [source, caller] = await Promise.all([home.write(ofSource), db.write(ofCaller)])
      return { ...source, ...caller }
    },
  })
  const source = readable(asset, ctx)
  if (!source || !version || keys[0]?.is_known) return undefined
  if (version.version > (ceilingIn(source, channel_key, channels) ?? 0)) return undefined
  const found = { asset: source, version }
  const error = name_row?.is_taken ? duplicateName() : whyNoRoom(room, contentsOf(found), config)
  if (error) throw error
  return isKnown(keys) ? undefined : found
}

/** Reads a branch of the caller's with its first version. @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND */
async function readBranch(ctx: RequestContext, id: string): Promise<Branch> {
  const asset = await readOwnAsset(ctx, id)
  const [version] = await ctx.db.read(versionOf({ asset_id: id, version: 1 }))
  if (!version) throw new ApiError('VERSION_NOT_FOUND', { detail: 'Version 1 of the branch was deleted.' })
  return { asset, version }
}

/** Why no branch was written, after nothing was; undefined when the reason is gone. */
async function whyNotBranched(
  ctx: RequestContext,
  source_id: string,
  { from_version, channel_key }: BranchAsset,
): Promise<ApiError | undefined> {
  const home = ctx.databases.of(source_id)
  home.usePrimary()
  const {
    assets: [found],
    versions: [version],
    channels,
  } = await home.read({
    assets: assetWithId({ id: source_id }),
    versions: versionOf({ asset_id: source_id, version: from_version ?? 1 }),
    channels: channelWithKey({ id: source_id, channel_key: channel_key ?? null }),
  })
  const source = readable(found, ctx)
  if (!source) return new ApiError('ASSET_NOT_FOUND')
  const latest = ceilingIn(source, channel_key, channels)
  if (latest === undefined) return new ApiError('CHANNEL_NOT_FOUND')
  if (source.current_version === 0)
    return new ApiError('NO_VERSIONS_TO_BRANCH', { detail: 'The asset has no content yet.' })
  if (from_version !== undefined && (!version || from_version > latest))
    return new ApiError('VERSION_NOT_FOUND', { detail: `The latest version is ${latest}.` })
  return undefined
}
