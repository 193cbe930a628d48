import sql, { type Sql } from 'sql-template-tag'
import type { Work } from '../http/context.ts'

/**
 * Begins every batch that charges a user: opens the account if there is none, and brings today's limits to it,
 * since the triggers that hold the limits can't read a variable. Writes nothing when nothing has changed.
 */
export function openAccount({ config, user_id }: Work): Sql {
  return sql`INSERT INTO usage (user_id, default_limit_bytes, max_items, max_open_uploads)
    VALUES (${user_id}, ${config.DEFAULT_QUOTA_BYTES}, ${config.MAX_ITEMS}, ${config.MAX_OPEN_UPLOADS})
    ON CONFLICT (user_id) DO UPDATE SET
      default_limit_bytes = excluded.default_limit_bytes,
      max_items = excluded.max_items,
      max_open_uploads = excluded.max_open_uploads
    WHERE (default_limit_bytes, max_items, max_open_uploads)
      IS NOT (excluded.default_limit_bytes, excluded.max_items, excluded.max_open_uploads)`
}
