import sql, { type Sql } from 'sql-template-tag'
import type { Work } from '../work.ts'

/**
 * Begins every batch that charges a user: opens the account if there is none, and brings today's limits to it,
 * since the triggers that hold the limits can't read a variable. Writes nothing when nothing has changed.
 */
export function openAccount({ config, user_id }: Pick<Work, 'config' | 'user_id'>): Sql {
  const { DEFAULT_QUOTA_BYTES, MAX_ITEMS, MAX_ASSETS, MAX_OPEN_UPLOADS } = config
  return sql`INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_open_uploads)
    VALUES (${user_id}, ${DEFAULT_QUOTA_BYTES}, ${MAX_ITEMS}, ${MAX_ASSETS}, ${MAX_OPEN_UPLOADS})
    ON CONFLICT (user_id) DO UPDATE SET
      default_limit_bytes = excluded.default_limit_bytes,
      max_items = excluded.max_items,
      max_assets = excluded.max_assets,
      max_open_uploads = excluded.max_open_uploads
    WHERE (default_limit_bytes, max_items, max_assets, max_open_uploads)
      IS NOT (excluded.default_limit_bytes, excluded.max_items, excluded.max_assets, excluded.max_open_uploads)`
}
