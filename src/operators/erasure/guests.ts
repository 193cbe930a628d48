import { type SQL, sql } from 'drizzle-orm'
import { isUnerasedHint } from '../../features/shares/hints.ts'
import { type StepContext, seconds } from '../../platform/context.ts'
import { erasures } from '../../platform/db/schema.ts'
import { moving } from '../../platform/db/session.ts'
import { insert } from '../../platform/db/sql.ts'
import { isUnavailable } from '../../platform/jobs/owners.ts'
import { askFor, askOnce } from '../../platform/shards/ask.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { locationFrom, type PartitionState, statesOf } from '../../platform/shards/partitions.ts'

/*
 * The shares with an erased user are in the homes of their owners. Each database to which the user's home
 * has hints gets a watermark of the erasure, as that of a guest, which hides these shares. The job of that database removes the
 * shares, and then the watermark. The job of the home waits for it.
 */

type Watermark = Pick<typeof erasures.$inferSelect, 'user_id' | 'until' | 'mark'>

/**
 * Marks an erasure in the other databases to which the user's home has these hints. The home has its own watermark already.
 *
 * @throws UNAVAILABLE, also while one of the partitions moves
 */
export async function markGuest(
  databases: Databases,
  erasure: Watermark,
  home: string,
  hints: PartitionState[],
): Promise<void> {
  // The mover may already have copied the erasures of a frozen partition: it would leave the watermark behind.
  const expectNoneFrozen = (states: PartitionState[]) => {
    if (states.some(({ state }) => state === 'frozen')) throw moving()
  }
  expectNoneFrozen(hints)
  const elsewhere = hints.filter((hint) => locationFrom([hint], home) !== home)
  const partitions = elsewhere.map(({ partition }) => partition)
  await askFor(databases, partitions, async (_, some) => {
    const database = databases.withPartition(some[0] ?? '')
    const { states } = await database.write({ watermark: guestWatermark(erasure), states: statesOf(some) })
    expectNoneFrozen(states)
    return { name: database.name, states }
  })
}

/**
 * Looks for shares with an erased user in the next of the hinted databases, and marks the erasure there once more if there are
 * any: the request may have been cut off, or partitions may have moved. A run asks each database once. `shares` selects the
 * shares that the erasure has to remove. Returns 1 when it asked a database, and 0 when the run has asked all of them.
 */
export async function finishElsewhere(ctx: StepContext, erasure: Watermark, shares: SQL): Promise<number> {
  const { db, databases } = ctx
  const { user_id, until } = erasure
  const isUnerased = isUnerasedHint(user_id, until)
  const hints = await db.read(
    sql<{ partition: string }>`SELECT partition FROM share_hints WHERE ${isUnerased}`,
  )
  const byDatabase = Map.groupBy(hints, ({ partition }) => databases.nameFor(partition))
  const turnOf = (name: string) => `${user_id} ${until} ${name}`
  const [name, some = []] = [...byDatabase].find(([name]) => !ctx.asked.has(turnOf(name))) ?? []
  if (name === undefined) return 0
  ctx.asked.add(turnOf(name))
  const done = await partitionsWithoutShares(
    databases,
    { ...erasure, shares },
    some.map(({ partition }) => partition),
  ).catch(orNone)
  if (done.length > 0)
    await db.write(
      sql`UPDATE share_hints SET erased_until = ${until}, hinted_at = min(hinted_at, ${seconds(ctx)})
        WHERE ${isUnerased} AND partition IN (SELECT value FROM json_each(${JSON.stringify(done)}))`,
    )
  return 1
}

/** Returns the partitions without a share and without a watermark that is still to be removed. Marks the erasure where shares are left. */
async function partitionsWithoutShares(
  databases: Databases,
  { shares, ...erasure }: Watermark & { shares: SQL },
  some: string[],
): Promise<string[]> {
  const { user_id } = erasure
  const wave = await askOnce(databases, some, async (_, partitions) => {
    const database = databases.withPartition(partitions[0] ?? '')
    const answer = await database.write({
      watermark: guestWatermark(erasure, sql`EXISTS (${shares})`),
      states: statesOf(partitions),
      left: sql`SELECT 1 AS one WHERE EXISTS (${shares})
        OR EXISTS (SELECT 1 FROM erasures WHERE user_id = ${user_id} AND is_guest = 1)`,
    })
    return { name: database.name, ...answer }
  })
  return wave.flatMap(({ answer, present }) => (answer.left.length === 0 ? present : []))
}

/** Returns no partitions for a database that is unavailable, so that the other databases are asked. */
function orNone(error: unknown): string[] {
  if (isUnavailable(error)) return []
  throw error
}

/** The statement that marks an erasure where the user is a guest, on a condition. The home's own watermark stays the home's. */
function guestWatermark({ user_id, until, mark }: Watermark, isDue: SQL = sql`1`): SQL {
  const row = { user_id, until, mark, inbox_erased: 1 as const, is_guest: 1 as const }
  return sql`${insert(erasures, row, sql`WHERE ${isDue}`)} ON CONFLICT (user_id)
    DO UPDATE SET until = excluded.until, next_at = 0 WHERE until < excluded.until`
}
