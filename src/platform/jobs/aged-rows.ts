import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type StepContext, seconds } from '../context.ts'
import { earliestId } from '../db/id.ts'
import { DAY } from '../lib/units.ts'

/**
 * Deletes up to BATCH_SIZE rows of a table of the first database that are older than some days, which the job of that database does. Their
 * ids begin with their time. Returns how many.
 */
export async function deleteAged(ctx: StepContext, table: string, days: number): Promise<number> {
  if (ctx.db.name !== ctx.databases.common.name) return 0
  const oldest = earliestId(seconds(ctx) - days * DAY)
  const name = sql.raw(table)
  const deleted = await ctx.db.write(
    sql`DELETE FROM ${name} WHERE id IN (SELECT id FROM ${name} WHERE id < ${oldest} ORDER BY id LIMIT ${BATCH_SIZE}) RETURNING id`,
  )
  return deleted.length
}
