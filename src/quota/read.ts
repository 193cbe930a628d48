import type { z } from '@hono/zod-openapi'
import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import type { Config } from '../env.ts'
import type { Quota } from './schema.ts'
import { ensureUsageRow } from './usage.ts'

interface Account {
  used_bytes: number
  limit_bytes: number | null
}

/** What a user has used and may use; someone who never made anything has used nothing (specification §4.4). */
export async function readQuota(
  { db, config }: RequestContext,
  user_id: string,
): Promise<z.output<typeof Quota>> {
  // The limit is an operator's decision.
  db.usePrimary()
  const [account] = await db.all<Account>(
    sql`SELECT used_bytes, limit_bytes FROM usage WHERE user_id = ${user_id}`,
  )
  return quotaOf(account ?? { used_bytes: 0, limit_bytes: null }, config)
}

/**
 * Gives a user a limit of their own, or with null the default again. A limit below what is used takes nothing
 * away: it only refuses more.
 */
export async function setQuota(
  ctx: RequestContext,
  user_id: string,
  limit_bytes: number | null,
): Promise<z.output<typeof Quota>> {
  const {
    accounts: [account],
  } = await ctx.db.batch({
    usage: ensureUsageRow({ ...ctx, user_id }),
    accounts: sql<Account>`UPDATE usage SET limit_bytes = ${limit_bytes} WHERE user_id = ${user_id}
      RETURNING used_bytes, limit_bytes`,
  })
  return quotaOf(account ?? { used_bytes: 0, limit_bytes }, ctx.config)
}

function quotaOf({ used_bytes, limit_bytes: own }: Account, config: Config): z.output<typeof Quota> {
  const limit_bytes = own ?? config.DEFAULT_QUOTA_BYTES
  return {
    used_bytes,
    limit_bytes,
    available_bytes: Math.max(0, limit_bytes - used_bytes),
    usage_percent: limit_bytes === 0 ? 100 : (100 * used_bytes) / limit_bytes,
  }
}
