import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { limitEvents } from './events.ts'
import { type QuotaRow, quotaColumns } from './row.ts'
import { ensureUsageRow } from './usage.ts'

const setLimit = statement(
  (p: Params<'user_id' | 'limit_bytes'>) =>
    sql<QuotaRow>`UPDATE usage SET limit_bytes = ${p.limit_bytes} WHERE user_id = ${p.user_id} RETURNING ${quotaColumns}`,
)

/**
 * Sets a user's own limit in bytes; null: the default. A limit below the used bytes removes nothing; it only prevents
 * further use. Returns the changed row.
 */
export async function setQuota(
  ctx: RequestContext,
  user_id: string,
  limit_bytes: number | null,
): Promise<QuotaRow | undefined> {
  const {
    rows: [row],
  } = await ctx.databases.home(user_id).write({
    usage: ensureUsageRow({ ...ctx, user_id }),
    events: limitEvents(ctx, { user_id, limit_bytes }),
    rows: setLimit({ user_id, limit_bytes }),
  })
  return row
}
