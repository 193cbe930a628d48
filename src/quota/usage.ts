import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { joined } from '../db/sql.ts'

/**
 * Begins every batch that charges a user: opens the account if there is none, and brings today's limits to it,
 * since the triggers that hold the limits can't read a variable. Writes nothing when nothing has changed.
 */
export function ensureUsageRow({ config, user_id }: Pick<RequestContext, 'config' | 'user_id'>): SQL {
  const limits = [
    config.DEFAULT_QUOTA_BYTES,
    config.MAX_ITEMS,
    config.MAX_ASSETS,
    config.MAX_PUBLIC_ASSETS,
    config.MAX_VERSIONS,
    config.MAX_OPEN_UPLOADS,
    config.MAX_ENDED_UPLOADS,
    config.MAX_IDEMPOTENCY_KEYS,
  ]
  return sql`INSERT INTO usage (user_id, ${columns}) VALUES (${user_id}, ${joined(
    limits.map((limit) => sql`${limit}`),
    ', ',
  )})
    ON CONFLICT (user_id) DO UPDATE SET (${columns}) = (${todays}) WHERE (${columns}) IS NOT (${todays})`
}

const names = [
  'default_limit_bytes',
  'max_items',
  'max_assets',
  'max_public_assets',
  'max_versions',
  'max_open_uploads',
  'max_ended_uploads',
  'max_idempotency_keys',
]
const columns = sql.raw(names.join(', '))
const todays = sql.raw(names.map((name) => `excluded.${name}`).join(', '))
