import { sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import type { RequestContext } from '../../platform/context.ts'
import { isKnown, type KeyLook, lookAtKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { nearOrFar } from '../../platform/shards/near.ts'
import { type RoomRow, roomOf, whyNoRoom } from '../quota/room.ts'
import { readable } from './access.ts'
import { duplicateName, isTaken } from './name.ts'
import { type AssetRow, assetWithId, type VersionRow, versionColumns } from './row.ts'
import type { BranchAsset } from './schema.ts'

/** The asset and the version that a branch is made from. */
export interface FoundSource {
  asset: AssetRow
  version: VersionRow
}

/**
 * Looks at the source of a branch and at the caller, before anything is written for the branch elsewhere. Returns the
 * version to branch from; undefined when the caller may read no such version, or the key is known.
 *
 * The looks go through the fence of writes: while a partition moves, they are answered like the branch.
 *
 * @throws what the batch would be refused with: DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED, LIMIT_REACHED (assets,
 * all_versions, idempotency_keys); UNAVAILABLE
 */
export async function lookBeforeBranching(
  { db, databases, config, user_id }: RequestContext,
  source_id: string,
  { name, from_version }: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<FoundSource | undefined> {
  const home = databases.of(source_id)
  const ofSource = {
    assets: assetWithId(source_id),
    versions: sql<VersionRow>`SELECT ${versionColumns} FROM asset_versions WHERE asset_id = ${source_id}
      AND version = coalesce(${from_version ?? null}, (SELECT current_version FROM game_assets WHERE id = ${source_id}))`,
  }
  const ofCaller = {
    names: sql<{ is_taken: 0 | 1 }>`SELECT ${isTaken(name, user_id)} AS is_taken`,
    rooms: roomOf(user_id),
    keys: lookAtKey(key, config.MAX_IDEMPOTENCY_KEYS),
  }
  const {
    assets: [asset],
    versions: [version],
    ...caller
  } = await nearOrFar(db, home, {
    near: (condition) => db.write({ ...ofSource, ...ofCaller }, condition),
    far: async () => {
      const [source, caller] = await Promise.all([home.write(ofSource), db.write(ofCaller)])
      return { ...source, ...caller }
    },
  })
  const source = readable(asset, user_id)
  if (!source || !version || !isAccepted(caller, version.size_bytes, config)) return undefined
  return { asset: source, version }
}

/** What the caller's home knows before the branch is written. */
interface Caller {
  names: { is_taken: 0 | 1 }[]
  rooms: RoomRow[]
  keys: KeyLook[]
}

/** Whether the branch is to be written: not when its key is known. @throws what the batch would be refused with */
function isAccepted({ names, rooms, keys }: Caller, size_bytes: number, config: Config): boolean {
  if (keys[0]?.is_known) return false
  if (names[0]?.is_taken) throw duplicateName()
  const reason = whyNoRoom(rooms[0], size_bytes, config)
  if (reason) throw reason
  return !isKnown(keys)
}
