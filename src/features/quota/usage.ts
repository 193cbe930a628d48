import { getTableColumns, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import type { RequestContext } from '../../platform/context.ts'
import { partitionOf } from '../../platform/db/id.ts'
import { usage } from '../../platform/db/schema.ts'
import {
  columnsOf,
  joined,
  type Params,
  type Prepared,
  type RowOf,
  statement,
} from '../../platform/db/sql.ts'
import { type ApiError, limitReached, quotaExceeded } from '../../platform/errors.ts'
import { NO_PARTS } from './kinds.ts'

type LimitColumn = Extract<keyof typeof usage.$inferSelect, 'default_limit_bytes' | `max_${string}`>

/** The variable that configures each limit. */
const variables = {
  default_limit_bytes: 'DEFAULT_QUOTA_BYTES',
  max_items: 'MAX_ITEMS',
  max_assets: 'MAX_ASSETS',
  max_public_assets: 'MAX_PUBLIC_ASSETS',
  max_versions: 'MAX_VERSIONS',
  max_open_uploads: 'MAX_OPEN_UPLOADS',
  max_ended_uploads: 'MAX_ENDED_UPLOADS',
  max_idempotency_keys: 'MAX_IDEMPOTENCY_KEYS',
  max_favorites: 'MAX_FAVORITES',
  max_mutes: 'MAX_MUTES',
} as const satisfies Record<LimitColumn, string>
const limits = Object.entries(variables)

const upsert = statement((p: Params<string>) => {
  const names = ['partition', ...limits.map(([column]) => column)]
  const columns = sql.raw(names.join(', '))
  const values = joined(
    ['user_id', ...names].map((name) => sql`${p[name]}`),
    ', ',
  )
  const configured = sql.raw(names.map((name) => `excluded.${name}`).join(', '))
  return sql`INSERT INTO usage (parts, user_id, ${columns}) VALUES (${sql.raw(`'${NO_PARTS}'`)}, ${values})
    ON CONFLICT (user_id) DO UPDATE SET (${columns}) = (${configured}) WHERE (${columns}) IS NOT (${configured})`
})

/**
 * The statement that creates a user's usage row, or updates its limits to the configured ones. It has to be the first of
 * every batch that charges the user, because the triggers that enforce the limits can't read a variable. It writes nothing
 * when the limits have not changed. A trigger rejects the batch unless the user's partition is open.
 */
export function ensureUsageRow({ config, user_id }: Pick<RequestContext, 'config' | 'user_id'>): Prepared {
  const configured = Object.fromEntries(limits.map(([column, variable]) => [column, config[variable]]))
  const partition = partitionOf(user_id)
  return { ...upsert({ user_id, partition, ...configured }), fences: partition }
}

const { used_bytes, limit_bytes, assets, versions } = getTableColumns(usage)
const columns = { used_bytes, limit_bytes, assets, versions }

/** The columns of a user's usage row that decide whether the user may have one more asset. */
export interface RoomRow extends RowOf<typeof columns> {}

/** The statement that reads a user's RoomRow; no row when the user has stored nothing yet. */
export const roomOf = statement(
  (p: Params<'user_id'>) =>
    sql<RoomRow>`SELECT ${columnsOf(columns)} FROM usage WHERE user_id = ${p.user_id}`,
)

/**
 * Why there is no room for one more asset with a version and variants that have these contents; undefined when there is. The triggers of `usage`
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
  contents: readonly { size_bytes: number }[],
  { MAX_ASSETS, MAX_VERSIONS, DEFAULT_QUOTA_BYTES }: Config,
): ApiError | undefined {
  if (assets >= MAX_ASSETS) return limitReached('assets')
  if (versions + contents.length > MAX_VERSIONS) return limitReached('all_versions')
  const most = limit_bytes ?? DEFAULT_QUOTA_BYTES
  const needed_bytes = contents.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  if (needed_bytes === 0 || used_bytes + needed_bytes <= most) return undefined
  return quotaExceeded({ used_bytes, limit_bytes: most, needed_bytes })
}
