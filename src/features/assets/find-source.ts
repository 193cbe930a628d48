import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isKnown, lookAtKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { keptStatements, type Slot } from '../../platform/db/sql.ts'
import { nearOrFar } from '../../platform/shards/near.ts'
import { type RoomRow, roomOf, whyNoRoom } from '../quota/usage.ts'
import { readable } from './access.ts'
import { duplicateName, isTaken } from './name.ts'
import { type AssetRow, assetWithId, type VersionRow, versionColumns } from './row.ts'
import type { BranchAsset } from './schema.ts'

/** The asset that a branch is made from, and the version. */
export interface FoundSource {
  asset: AssetRow
  version: VersionRow
}

const keptAsset = keptStatements<AssetRow>()
const keptVersion = keptStatements<VersionRow>()
const keptName = keptStatements<{ is_taken: 0 | 1 }>()
const keptRoom = keptStatements<RoomRow>()

/** SQL: the version `from_version` of the source; the latest when `from_version` is NULL. */
function sourceVersion(slot: Slot<'source_id' | 'from_version'>): SQL<VersionRow> {
  const newest = sql`(SELECT current_version FROM game_assets WHERE id = ${slot('source_id')})`
  return sql`SELECT ${versionColumns} FROM asset_versions
    WHERE asset_id = ${slot('source_id')} AND version = coalesce(${slot('from_version')}, ${newest})`
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
export async function findSource(
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
  const source = readable(asset, user_id)
  if (!source || !version || keys[0]?.is_known) return undefined
  const error = name_row?.is_taken ? duplicateName() : whyNoRoom(room, version.size_bytes, config)
  if (error) throw error
  return isKnown(keys) ? undefined : { asset: source, version }
}
