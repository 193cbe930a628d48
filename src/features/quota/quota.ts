import { getTableColumns, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import type { RequestContext } from '../../platform/context.ts'
import { usage } from '../../platform/db/schema.ts'
import { columnsOf, type Params, type RowOf, statement } from '../../platform/db/sql.ts'
import { thresholdByLimit } from './events.ts'
import type { Quota } from './schema.ts'
import { ensureUsageRow } from './usage.ts'

const { used_bytes, limit_bytes } = getTableColumns(usage)
const columns = { used_bytes, limit_bytes }

/** The columns of a user's usage row that a quota is made of. */
export interface QuotaRow extends RowOf<typeof columns> {}

/** SQL: the columns of a QuotaRow. */
const quotaColumns = columnsOf(columns)

/** A quota as the API shows it (docs/conformance.md#quota-and-limits). `row` is undefined for a user who has stored nothing yet. */
export function quotaRecord(row: QuotaRow | undefined, config: Config): Quota {
  const used_bytes = row?.used_bytes ?? 0
  const limit_bytes = row?.limit_bytes ?? config.DEFAULT_QUOTA_BYTES
  return {
    used_bytes,
    limit_bytes,
    available_bytes: Math.max(0, limit_bytes - used_bytes),
    usage_percent: limit_bytes === 0 ? 100 : (100 * used_bytes) / limit_bytes,
  }
}

const quotaOf = statement(
  (p: Params<'user_id'>) => sql<QuotaRow>`SELECT ${quotaColumns} FROM usage WHERE user_id = ${p.user_id}`,
)

/** Reads a user's used bytes and limit (docs/conformance.md#quota-and-limits). Undefined for a user who has stored nothing yet. */
export async function readQuota(
  { databases }: RequestContext,
  user_id: string,
): Promise<QuotaRow | undefined> {
  const db = databases.home(user_id)
  // A replica might not have a limit that an operator has just set.
  db.usePrimary()
  const [row] = await db.read(quotaOf({ user_id }))
  return row
}

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
    events: thresholdByLimit(ctx, { user_id, limit_bytes }),
    rows: setLimit({ user_id, limit_bytes }),
  })
  return row
}
