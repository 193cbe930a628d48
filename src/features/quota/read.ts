import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type QuotaRow, quotaColumns, quotaRecord } from './record.ts'
import type { Quota } from './schema.ts'

/** What a user has used and may use (docs/conformance.md#44-quota). */
export async function readQuota({ databases, config }: RequestContext, user_id: string): Promise<Quota> {
  const db = databases.home(user_id)
  // An operator may have just set the limit, so a replica would not do.
  db.usePrimary()
  const [row] = await db.read(sql<QuotaRow>`SELECT ${quotaColumns} FROM usage WHERE user_id = ${user_id}`)
  return quotaRecord(row, config)
}
