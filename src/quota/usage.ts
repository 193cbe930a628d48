import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { usage } from '../db/schema.ts'
import { insert, keptStatements, type Rendered } from '../db/sql.ts'

const kept = keptStatements()

/**
 * The statement that creates a user's usage row, or updates its limits to the configured ones. It has to be the first of
 * every batch that charges the user, because the triggers that hold the limits can't read a variable. It writes nothing
 * when the limits have not changed.
 */
export function ensureUsageRow({ config, user_id }: Pick<RequestContext, 'config' | 'user_id'>): Rendered {
  return kept('usage', upsert, {
    user_id,
    default_limit_bytes: config.DEFAULT_QUOTA_BYTES,
    max_items: config.MAX_ITEMS,
    max_assets: config.MAX_ASSETS,
    max_public_assets: config.MAX_PUBLIC_ASSETS,
    max_versions: config.MAX_VERSIONS,
    max_open_uploads: config.MAX_OPEN_UPLOADS,
    max_ended_uploads: config.MAX_ENDED_UPLOADS,
    max_idempotency_keys: config.MAX_IDEMPOTENCY_KEYS,
  })
}

function upsert() {
  const limits = {
    default_limit_bytes: value('default_limit_bytes'),
    max_items: value('max_items'),
    max_assets: value('max_assets'),
    max_public_assets: value('max_public_assets'),
    max_versions: value('max_versions'),
    max_open_uploads: value('max_open_uploads'),
    max_ended_uploads: value('max_ended_uploads'),
    max_idempotency_keys: value('max_idempotency_keys'),
  }
  const names = Object.keys(limits)
  const columns = sql.raw(names.join(', '))
  const configured = sql.raw(names.map((name) => `excluded.${name}`).join(', '))
  return sql`${insert(usage, { user_id: value('user_id'), ...limits })}
    ON CONFLICT (user_id) DO UPDATE SET (${columns}) = (${configured}) WHERE (${columns}) IS NOT (${configured})`
}

function value(name: string) {
  return sql`${sql.placeholder(name)}`
}
