import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { usage } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { quotaLimited } from './events.ts'
import { type QuotaRow, quotaColumns } from './row.ts'
import { ensureUsageRow } from './usage.ts'

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
    events: quotaLimited(ctx, user_id, limit_bytes),
    rows: sql<QuotaRow>`UPDATE usage SET ${assignments(usage, { limit_bytes })} WHERE user_id = ${user_id}
      RETURNING ${quotaColumns}`,
  })
  return row
}
