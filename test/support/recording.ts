import { sql } from 'drizzle-orm'
import type { Config } from '../../src/platform/config/variables.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { newId, partitionOf } from '../../src/platform/db/id.ts'
import type { Prepared } from '../../src/platform/db/sql.ts'
import { eventWriter } from '../../src/platform/events/record.ts'
import { contextOf } from './context.ts'
import { everywhere } from './databases.ts'
import { configWithEvents } from './events.ts'

/** The statement that records events of a user, one for each removed file. */
export function purged(ctx: RequestContext, files: readonly string[]): Prepared[] {
  return eventWriter('file.purged', () => ({
    resource_id: sql`file.value`,
    partition: sql`${partitionOf(ctx.user_id)}`,
    data: { file_id: sql`file.value`, owner_id: ctx.user_id, asset_type: 'file' as const, size_bytes: 1 },
    from: sql`FROM json_each(${JSON.stringify(files)}) AS file`,
  }))(ctx, {})
}

/** Records events of a user in one batch, each about a different file. */
export async function record(user_id: string, count: number, limits: Partial<Config> = {}): Promise<void> {
  const ctx = contextOf(user_id, {}, configWithEvents(limits))
  await ctx.db.write(
    purged(
      ctx,
      Array.from({ length: count }, () => newId(user_id)),
    ),
  )
}

/** How many events were dropped, in all databases. */
export async function droppedCount(): Promise<number> {
  const rows = await everywhere<{ dropped: number }>('SELECT dropped FROM outbox_counts')
  return rows.reduce((sum, { dropped }) => sum + dropped, 0)
}

/** How many events of each user there are. */
export async function eventsByOwner(): Promise<Record<string, number>> {
  const rows = await everywhere<{ owner_id: string; events: number }>(
    'SELECT owner_id, count(*) AS events FROM outbox GROUP BY owner_id',
  )
  return Object.fromEntries(rows.map(({ owner_id, events }) => [owner_id, events]))
}
