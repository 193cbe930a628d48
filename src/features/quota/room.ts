import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import { usage } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'

const { used_bytes, limit_bytes, assets, versions } = getTableColumns(usage)
const columns = { used_bytes, limit_bytes, assets, versions }

/** What a user has of what limits a new asset. */
export interface RoomRow extends RowOf<typeof columns> {}

/** The statement that reads it; no row when the user has nothing yet. */
export function roomOf(user_id: string): SQL<RoomRow> {
  return sql<RoomRow>`SELECT ${columnsOf(columns)} FROM usage WHERE user_id = ${user_id}`
}

/**
 * Why there is no room for an asset more with a version of that size; undefined when there is. The triggers of `usage`
 * decide (migrations/0002_triggers.sql): this is for what has to be written elsewhere before they are asked.
 */
export function whyNoRoom(
  { used_bytes, limit_bytes, assets, versions }: RoomRow = {
    used_bytes: 0,
    limit_bytes: null,
    assets: 0,
    versions: 0,
  },
  size_bytes: number,
  { MAX_ASSETS, MAX_VERSIONS, DEFAULT_QUOTA_BYTES }: Config,
): ApiError | undefined {
  if (assets >= MAX_ASSETS) return limitReached('assets')
  if (versions >= MAX_VERSIONS) return limitReached('all_versions')
  const most = limit_bytes ?? DEFAULT_QUOTA_BYTES
  return size_bytes > 0 && used_bytes + size_bytes > most ? new ApiError('QUOTA_EXCEEDED') : undefined
}
