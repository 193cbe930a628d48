import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import { usage } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'

const { used_bytes, limit_bytes, assets, versions } = getTableColumns(usage)
const columns = { used_bytes, limit_bytes, assets, versions }

/** The columns of a user's usage row that decide whether the user may have one more asset. */
export interface RoomRow extends RowOf<typeof columns> {}

/** The statement that reads a user's RoomRow; no row when the user has stored nothing yet. */
export function roomOf(user_id: string | SQL): SQL<RoomRow> {
  return sql<RoomRow>`SELECT ${columnsOf(columns)} FROM usage WHERE user_id = ${user_id}`
}

/**
 * Why there is no room for one more asset with a version of this size; undefined when there is. The triggers of `usage`
 * decide (migrations/0001_usage.sql). A branch of an asset or of content of another partition is checked before, because
 * its marker and its hint are written before the triggers run.
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
