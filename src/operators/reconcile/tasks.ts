import { sql } from 'drizzle-orm'
import { ownersIn } from '../../features/content/owned-rows.ts'
import type { StepContext } from '../../platform/context.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { ROWS_OF_USER } from '../user-rows.ts'
import { asList } from './page.ts'
import { listMissing, partsOf } from './parts.ts'

/** The task of users who are older than `usage.parts`. */
export const partTasks = {
  parts_counted: {
    step: countParts,
    due: () => sql`SELECT 1 FROM usage INDEXED BY usage_without_parts WHERE parts IS NULL AND user_id > ''`,
    queries: 3,
    calls: 0,
  },
} as const satisfies Record<string, Task>

/** How many users a step counts at most, and about how many rows they have together. A single user may have more. */
const [MAX_USERS, MAX_ROWS] = [200, 20_000]

/**
 * Counts the parts of users who are older than `usage.parts`, and lists their large versions (migrations/0021_breakdown.sql).
 * Triggers leave parts that are null alone, so a step takes effect once. Returns how many users it counted.
 */
async function countParts({ db }: StepContext): Promise<number> {
  const users = await db.read<{ user_id: string }>(
    sql`SELECT user_id FROM (
        SELECT user_id, size, sum(size) OVER (ORDER BY user_id) AS total FROM (
          SELECT user_id, ${ROWS_OF_USER} AS size FROM usage INDEXED BY usage_without_parts WHERE parts IS NULL AND user_id > ''
          ORDER BY user_id LIMIT ${MAX_USERS}
        )
      ) WHERE total <= ${MAX_ROWS} OR total = size`,
  )
  if (users.length === 0) return 0
  const some = asList(users.map(({ user_id }) => user_id))
  const { counted } = await db.write({
    listed: listMissing(ownersIn(some)),
    counted: sql`UPDATE usage SET parts = ${partsOf({ from: sql.empty(), id: sql`usage.user_id` })}
      WHERE user_id IN (SELECT value FROM json_each(${some})) AND parts IS NULL RETURNING user_id`,
  })
  return counted.length
}
