import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { usage } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { quotaLimited } from './events.ts'
import { type QuotaRow, quotaColumns } from './row.ts'
import { ensureUsageRow } from './usage.ts'

/**
 * Gives a user a limit of their own, or with null the default again. A limit below what is used removes nothing; it only
 * prevents further use. Returns the row as it is then.
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
