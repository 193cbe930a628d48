import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'

/**
 * Gives up everything that one owner has shared with the caller (decisions, "Shares"). One statement over an index of
 * just these: MAX_SHARES_PER_GRANTEE at most. What has expired gives nothing, and stays in its owner's list.
 */
export async function leaveSharesOf(ctx: RequestContext, owner_id: string): Promise<void> {
  await ctx.db.all(
    sql`DELETE FROM shares WHERE grantee_id = ${ctx.user_id} AND owner_id = ${owner_id} AND expired = 0
      AND (expires_at IS NULL OR expires_at > ${seconds(ctx)})`,
  )
}
