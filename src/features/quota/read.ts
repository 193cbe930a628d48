import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type QuotaRow, quotaColumns } from './row.ts'

/** What a user has used and may use (docs/conformance.md#44-quota); undefined of a user who has stored nothing yet. */
export async function readQuota(
  { databases }: RequestContext,
  user_id: string,
): Promise<QuotaRow | undefined> {
  const db = databases.home(user_id)
  // An operator may have just set the limit, which a replica might not have yet.
  db.usePrimary()
  const [row] = await db.read(sql<QuotaRow>`SELECT ${quotaColumns} FROM usage WHERE user_id = ${user_id}`)
  return row
}
