import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type QuotaRow, quotaColumns } from './row.ts'

/** Reads a user's used bytes and limit (docs/conformance.md#44-quota). Undefined for a user who has stored nothing yet. */
export async function readQuota(
  { databases }: RequestContext,
  user_id: string,
): Promise<QuotaRow | undefined> {
  const db = databases.home(user_id)
  // A replica might not have a limit that an operator has just set.
  db.usePrimary()
  const [row] = await db.read(sql<QuotaRow>`SELECT ${quotaColumns} FROM usage WHERE user_id = ${user_id}`)
  return row
}
