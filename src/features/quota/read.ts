import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type QuotaRow, quotaColumns, quotaRecord } from './record.ts'
import type { Quota } from './schema.ts'

/** Reads how much storage a user has used and may use (specification §4.4). */
export async function readQuota({ databases, config }: RequestContext, user_id: string): Promise<Quota> {
  const db = databases.home(user_id)
  // An operator may have just set the limit, which a replica might not have yet.
  db.usePrimary()
  const [row] = await db.read(sql<QuotaRow>`SELECT ${quotaColumns} FROM usage WHERE user_id = ${user_id}`)
  return quotaRecord(row, config)
}
