import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { favoriteRecounts } from '../../platform/db/schema.ts'
import { keptStatements, type Prepared } from '../../platform/db/sql.ts'
import { logWarning } from '../../platform/lib/log.ts'

type RecountRow = Pick<typeof favoriteRecounts.$inferSelect, 'due_at'>

const kept = keptStatements<RecountRow>()

/** The statement that reads when an asset's recount is due; no row: none is. */
export function recountOf(asset_id: string): Prepared<RecountRow> {
  return kept(
    'recount',
    (slot) => sql`SELECT due_at FROM favorite_recounts WHERE asset_id = ${slot('asset_id')}`,
    { asset_id },
  )
}

/**
 * Asks the job of the caller's home to run when a recount is due, if a batch has made it due: `before` and `after` are what
 * `recountOf` found around the change. So the job is asked once for all changes until then. When it can't be asked, its
 * schedule starts it.
 */
export function recountLater(
  { db, config, afterwards, runJobAt }: RequestContext,
  before: readonly RecountRow[],
  after: readonly RecountRow[],
): void {
  const [recount] = after
  if (!recount || before.length > 0 || config.JOB === 'off') return
  const database = db.name
  afterwards(async () => {
    try {
      await runJobAt(database, recount.due_at)
    } catch (error) {
      logWarning('favorites are counted later', { database, error: String(error) })
    }
  })
}
