import { env } from 'cloudflare:test'
import { runJob } from '../../src/janitor/run.ts'
import { contextOf, databasesOver } from '../../test/support/context.ts'
import { meteredDatabase } from '../../test/support/meter.ts'
import { due } from '../backlog-rows.ts'

/** How many rows are due. */
const ROWS = 10_000

/** What the job costs for each row that it removes, over all its tasks (those of `npm run bench -- waits --only job`). */
export async function priceOfJob(): Promise<{ rows_read: number; rows_written: number }> {
  for (const { statements } of due(ROWS))
    for (const [statement, ...values] of statements)
      await env.DB.prepare(statement)
        .bind(...values)
        .run()
  const sum = { rows_read: 0, rows_written: 0 }
  const databases = databasesOver({
    DB: meteredDatabase(env.DB, (results) => {
      for (const { meta } of results) {
        sum.rows_read += meta.rows_read
        sum.rows_written += meta.rows_written
      }
    }),
  })
  const work = contextOf('job', { databases }, { JOB_QUERIES: 100_000, JOB_CALLS: 100_000 })
  let report: Awaited<ReturnType<typeof runJob>>
  do report = await runJob({ ...work, db: databases.whole('DB'), pause: async () => {} })
  while (report.has_backlog)
  if (report.failed) throw new Error(`failed: ${report.failed}`)
  const each = (count: number) => Math.round((10 * count) / ROWS) / 10
  return { rows_read: each(sum.rows_read), rows_written: each(sum.rows_written) }
}
