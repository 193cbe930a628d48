import { sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId, partitionIn, partitionOf } from '../../platform/db/id.ts'
import { isKnown, type KeyLook, lookAtKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { UniqueViolation } from '../../platform/db/link.ts'
import { ApiError } from '../../platform/errors.ts'
import { hintAtSource } from '../../platform/shards/branch-hints.ts'
import { type Marker, putMarker, removeMarker } from '../../platform/shards/markers.ts'
import { type RoomRow, roomOf, whyNoRoom } from '../quota/room.ts'
import { isReadable, readable } from './access.ts'
import { type Branch, type BranchSource, localSource } from './insert-branch.ts'
import { duplicateName, isTaken } from './name.ts'
import { type AssetRow, assetWithId, type VersionRow, versionColumns } from './row.ts'
import type { BranchAsset } from './schema.ts'

type Make = (id: string, source: BranchSource) => Promise<Branch | undefined>

/**
 * Makes a branch whose source may lie in another database (docs/scaling.md). The order protects the content: first the
 * marker, then a look at the source, in the batch that also gives the hint, then the branch. Content of the caller's own
 * partition needs no marker: the batch that makes the branch takes it off the list of what is to be deleted, or is refused.
 * A branch that would be refused puts no marker and gives no hint: source and caller are looked at before. Undefined when
 * there is no such source, or the key is known. When something changes after the looks, the marker goes, or the job
 * removes it.
 *
 * @throws what `make` throws; UNAVAILABLE
 */
export async function branchAcross(
  ctx: RequestContext,
  source_id: string,
  { name, from_version }: BranchAsset,
  key: IdempotencyKey | undefined,
  make: Make,
): Promise<Branch | undefined> {
  const { databases, config, user_id } = ctx
  const [found, home] = await Promise.all([
    findSource(ctx, source_id, from_version),
    lookAtHome(ctx, name, key),
  ])
  if (!found || !isAccepted(home, found.version.size_bytes, config)) return undefined
  const { version } = found
  const id = newId(user_id)
  const own = partitionOf(user_id)
  const isLocal = partitionIn(source_id) === own
  const marker = partitionIn(version.object_key) === own ? undefined : { ...version, asset_id: id }
  if (marker) await putMarker(ctx, marker)
  return orWithoutMarker(ctx, marker, async () => {
    if (isLocal) return make(id, localSource(user_id, source_id, version.version))
    const isThere = await giveHint(databases.of(source_id), version, user_id, seconds(ctx))
    return isThere ? make(id, remoteSource(found, own)) : undefined
  })
}

interface Found {
  asset: AssetRow
  version: VersionRow
}

/** What the caller's home knows before the branch is written. */
interface Home {
  names: { is_taken: 0 | 1 }[]
  rooms: RoomRow[]
  keys: KeyLook[]
}

/** Looks at the caller's home: what would the batch meet that writes the branch? */
function lookAtHome(
  { db, config, user_id }: RequestContext,
  name: string,
  key: IdempotencyKey | undefined,
): Promise<Home> {
  // Through the fence of writes: while the partition is being moved, it is answered like the branch.
  return db.write({
    names: sql<{ is_taken: 0 | 1 }>`SELECT ${isTaken(name, user_id)} AS is_taken`,
    rooms: roomOf(user_id),
    keys: lookAtKey(key, config.MAX_IDEMPOTENCY_KEYS),
  })
}

/**
 * Whether the branch is to be written: not when its key is known.
 *
 * @throws what the batch would be refused with: DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED, LIMIT_REACHED (assets,
 * all_versions, idempotency_keys)
 */
function isAccepted({ names, rooms, keys }: Home, size_bytes: number, config: Config): boolean {
  if (keys[0]?.is_known) return false
  if (names[0]?.is_taken) throw duplicateName()
  const reason = whyNoRoom(rooms[0], size_bytes, config)
  if (reason) throw reason
  return !isKnown(keys)
}

/** Reads the version to branch from, if the caller may, through the fence of the hint's write. */
async function findSource(
  { databases, user_id }: RequestContext,
  source_id: string,
  from_version: number | undefined,
): Promise<Found | undefined> {
  const {
    assets: [asset],
    versions: [version],
  } = await databases.of(source_id).write({
    assets: assetWithId(source_id),
    versions: sql<VersionRow>`SELECT ${versionColumns} FROM asset_versions WHERE asset_id = ${source_id}
      AND version = coalesce(${from_version ?? null}, (SELECT current_version FROM game_assets WHERE id = ${source_id}))`,
  })
  const source = readable(asset, user_id)
  return source && version && { asset: source, version }
}

/** Notes with the source that the user's partition has a branch of it. Returns whether the source is still readable. */
async function giveHint(
  db: RequestContext['db'],
  { asset_id, version }: VersionRow,
  user_id: string,
  now: number,
): Promise<boolean> {
  const isThere = sql`${isReadable(user_id)}
    AND EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = ${asset_id} AND version = ${version})`
  const { sources } = await db.write({
    sources: sql<{ id: string }>`SELECT id FROM game_assets WHERE id = ${asset_id} AND ${isThere}`,
    hint: hintAtSource(asset_id, user_id, now, isThere),
  })
  return sources.length > 0
}

/** The source as values. Content of the caller's own partition has to be known where the branch is written. */
function remoteSource({ asset, version }: Found, own: string): BranchSource {
  const { object_key } = version
  const isKnown = sql`EXISTS (SELECT 1 FROM garbage WHERE object_key = ${object_key} AND is_version = 1 AND deleting = 0)
    OR EXISTS (SELECT 1 FROM asset_versions WHERE object_key = ${object_key} AND substr(asset_id, 21, 3) = ${own})`
  return {
    source_id: asset.id,
    type: asset.type,
    // Another user's asset, which is readable only while it is not blocked.
    blocked: 0,
    version: version.version,
    size_bytes: version.size_bytes,
    mime_type: version.mime_type,
    object_key,
    from: partitionIn(object_key) === own ? sql`WHERE ${isKnown}` : sql`WHERE 1`,
  }
}

/** Removes the marker when the branch is certainly not made. When nobody knows, it stays. */
async function orWithoutMarker(
  ctx: RequestContext,
  marker: Marker | undefined,
  make: () => Promise<Branch | undefined>,
): Promise<Branch | undefined> {
  try {
    const branch = await make()
    if (!branch && marker) await removeMarker(ctx, marker)
    return branch
  } catch (error) {
    const isRefusal =
      error instanceof UniqueViolation || (error instanceof ApiError && error.code !== 'UNAVAILABLE')
    if (isRefusal && marker) await removeMarker(ctx, marker)
    throw error
  }
}
