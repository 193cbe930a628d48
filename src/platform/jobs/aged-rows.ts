import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../context.ts'
import { earliestId } from '../db/id.ts'
import { DAY } from '../lib/units.ts'
import type { Task } from './tasks.ts'

/**
 * A task that deletes rows of a table of the first database which are older than some days. Their ids begin with their time. In other
 * databases the table is empty.
 */
export function deletesAged(table: string, daysOf: (ctx: JobContext) => number) {
  const name = sql.raw(table)
  const aged = (ctx: JobContext): SQL =>
    sql`SELECT id FROM ${name} WHERE id < ${earliestId(seconds(ctx) - daysOf(ctx) * DAY)} ORDER BY id LIMIT ${BATCH_SIZE}`
  return {
    step: async (ctx: JobContext) =>
      (await ctx.db.write(sql`DELETE FROM ${name} WHERE id IN (${aged(ctx)}) RETURNING id`)).length,
    due: aged,
    queries: 2,
    calls: 0,
  } as const satisfies Task
}
