import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type RequestContext, seconds } from '../context.ts'
import { askOnce } from '../db/ask.ts'
import { statesOf } from '../db/buckets.ts'
import { bucketIn, bucketTextOf } from '../db/id.ts'
import { branchHints } from '../db/schema.ts'
import { insert } from '../db/sql.ts'
import { DAY, HOUR, MINUTE } from '../lib/time-units.ts'

/*
 * A branch stands with its owner. With several databases, the source has a hint: the bucket of that owner. It is written
 * before the branch and removed after it, so that there is a hint for each branch, and may be hints for none.
 */

/** A hint of that age is written anew by the next branch, in seconds. */
const FRESH = 10 * MINUTE

/** A hint is kept that long after it was written, in seconds, because a branch may be under way: much longer than FRESH. */
const KEPT = HOUR

/** How long the job relies on what it has found behind a hint, in seconds. */
const CONFIRMED = 30 * DAY

/** How many hints a step looks at, in how many databases, and how many branches behind a hint. */
const [HINTS, DATABASES, BRANCHES] = [50, 4, 200]

/** The statement that hints, with a source for which `condition` holds, that the user branches it. */
export function hintAtSource(source_id: string, user_id: string, now: number, condition: SQL): SQL {
  const hint = { source_id: sql`id`, bucket: bucketTextOf(user_id), hinted_at: now }
  return sql`${insert(branchHints, hint, sql`FROM game_assets WHERE id = ${source_id} AND ${condition}`)}
    ON CONFLICT (source_id, bucket)
    DO UPDATE SET hinted_at = excluded.hinted_at WHERE hinted_at < excluded.hinted_at - ${FRESH}`
}

/** Hints again that the caller has a branch, before a deleted one is restored: the job may have removed the hint. */
export async function hintAtRestoring(ctx: RequestContext, id: string): Promise<void> {
  const { db, databases, user_id } = ctx
  if (databases.isOnly) return
  const [branch] = await db.read<{ source_id: string }>(
    sql`SELECT branched_from_asset_id AS source_id FROM game_assets
      WHERE id = ${id} AND owner_id = ${user_id} AND branched_from_asset_id IS NOT NULL`,
  )
  if (!branch || bucketIn(branch.source_id) === bucketIn(id)) return
  await databases
    .of(branch.source_id)
    .write(hintAtSource(branch.source_id, user_id, seconds(ctx), sql`purging = 0`))
}

interface Hint {
  source_id: string
  bucket: string
}

/**
 * Looks for the branches behind the oldest hints, and removes hints that nothing stands behind. Returns how many it looked
 * at. With one database nobody reads hints.
 */
export async function checkBranchHints(ctx: JobContext): Promise<number> {
  const { db, databases } = ctx
  if (databases.isOnly) return 0
  const due = seconds(ctx) - KEPT
  const oldest = await db.read<Hint>(
    sql`SELECT source_id, bucket FROM branch_hints WHERE hinted_at < ${due} ORDER BY hinted_at LIMIT ${HINTS}`,
  )
  if (oldest.length === 0) return 0
  const byDatabase = Map.groupBy(oldest, ({ bucket }) => databases.nameFor(bucket))
  const hints = [...byDatabase.values()].slice(0, DATABASES).flat()
  const byBucket = Map.groupBy(hints, ({ bucket }) => bucket)
  const wave = await askOnce(databases, [...byBucket.keys()], async (name, buckets) => {
    const asked = buckets.flatMap((bucket) => byBucket.get(bucket) ?? [])
    const { states, found } = await databases
      .named(name)
      .read({ states: statesOf(buckets), found: withBranches(asked) })
    const places = new Set(found.map(({ place }) => place))
    return { name, states, hints: asked.map((hint, place) => ({ hint, isNeeded: places.has(place) })) }
  })
  // What a bucket's former database answers says nothing: a later step asks where the bucket is.
  const checked = wave.flatMap(({ answer, present }) =>
    answer.hints.filter(({ hint }) => present.includes(hint.bucket)),
  )
  if (checked.length === 0) return 0
  const which = (isNeeded: boolean) =>
    isAmong(checked.filter((one) => one.isNeeded === isNeeded).map(({ hint }) => hint))
  // A branch that has come in between has made its hint younger.
  await db.write([
    sql`DELETE FROM branch_hints WHERE ${which(false)} AND hinted_at < ${due}`,
    sql`UPDATE branch_hints SET hinted_at = ${seconds(ctx) + CONFIRMED} WHERE ${which(true)} AND hinted_at < ${due}`,
  ])
  return checked.length
}

/**
 * The statement that answers the places of those hints that a branch stands behind, which is not deleted. Of a source with
 * many branches, the first ones decide that there may be others.
 */
function withBranches(hints: Hint[]): SQL<{ place: number }> {
  const among = (index: string, condition: string) =>
    sql`(SELECT coalesce(max(substr(id, 21, 3) = hint.value ->> 1), 0) OR count(*) > ${BRANCHES} FROM (
      SELECT id FROM game_assets INDEXED BY ${sql.raw(index)}
      WHERE branched_from_asset_id = hint.value ->> 0 AND ${sql.raw(condition)} LIMIT ${BRANCHES + 1}))`
  return sql`SELECT hint.key AS place FROM json_each(${listOf(hints)}) AS hint
    WHERE ${among('branches_listed', 'is_listed = 1')}
      OR ${among('branches_unlisted', 'is_listed = 0 AND deleted_at IS NULL')}`
}

function isAmong(hints: Hint[]): SQL {
  return sql`(source_id, bucket) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${listOf(hints)}))`
}

function listOf(hints: Hint[]): string {
  return JSON.stringify(hints.map(({ source_id, bucket }) => [source_id, bucket]))
}
