import { type SQL, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import type { RequestContext } from '../../platform/context.ts'
import { isKnown, type KeyLook, lookAtKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { keptStatements, type Slot } from '../../platform/db/sql.ts'
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

const keptAsset = keptStatements<AssetRow>()
const keptVersion = keptStatements<VersionRow>()
const keptName = keptStatements<{ is_taken: 0 | 1 }>()
const keptRoom = keptStatements<RoomRow>()

function sourceVersion(slot: Slot<'source_id' | 'from_version'>): SQL<VersionRow> {
  const newest = sql`(SELECT current_version FROM game_assets WHERE id = ${slot('source_id')})`
  return sql`SELECT ${versionColumns} FROM asset_versions
    WHERE asset_id = ${slot('source_id')} AND version = coalesce(${slot('from_version')}, ${newest})`
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
    assets: keptAsset('asset', (slot) => assetWithId(slot('source_id')), { source_id }),
    versions: keptVersion('version', sourceVersion, { source_id, from_version: from_version ?? null }),
  }
  const ofCaller = {
    names: keptName('name', (slot) => sql`SELECT ${isTaken(slot('name'), slot('user_id'))} AS is_taken`, {
      name,
      user_id,
    }),
    rooms: keptRoom('room', (slot) => roomOf(slot('user_id')), { user_id }),
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
