import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type RequestContext, seconds } from '../context.ts'
import { askOnce } from '../db/ask.ts'
import { type BucketState, statesOf, whereItIs } from '../db/buckets.ts'
import type { Databases } from '../db/databases.ts'
import { bucketTextOf } from '../db/id.ts'
import { erasedUntil } from '../db/marks.ts'
import { shareHints } from '../db/schema.ts'
import { insert, keptStatements, type Rendered } from '../db/sql.ts'
import { DAY, HOUR, MINUTE } from '../lib/time-units.ts'
import { FIRST } from '../shards.ts'

/*
 * Shares stand with their files. With several databases, the grantee's home has a hint: the bucket of the owner. It is
 * written before the share and removed after it, so that there is a hint for each share, and may be hints for none.
 */

/** A hint of that age is written anew by the next share, in seconds. */
const FRESH = 10 * MINUTE

/** A hint is needed for as long after it was written, in seconds: a share may be under way. Much longer than FRESH. */
const KEPT = HOUR

/** How long the job relies on what it has found behind a hint, in seconds. */
const CONFIRMED = 30 * DAY

/** How many hints a step looks at, and in how many databases at most. */
const HINTS_PER_STEP = 200
const DATABASES_PER_STEP = 4

/**
 * Hints, in the grantee's home, that the caller may share something with the grantee. Returns until when everything of
 * the grantee's has been erased, in Unix seconds; -1: never.
 */
export async function hintAtShare(ctx: RequestContext, grantee_id: string): Promise<number> {
  const hint = {
    grantee_bucket: bucketTextOf(grantee_id),
    grantee_id,
    bucket: bucketTextOf(ctx.user_id),
    hinted_at: seconds(ctx),
    erased_until: erasedUntil(grantee_id),
  }
  const { erased } = await ctx.databases.home(grantee_id).write({
    hint: sql`${insert(shareHints, hint)} ON CONFLICT (grantee_bucket, grantee_id, bucket)
      DO UPDATE SET hinted_at = excluded.hinted_at WHERE hinted_at < excluded.hinted_at - ${FRESH}`,
    erased: sql<{ until: number }>`SELECT ${erasedUntil(grantee_id)} AS until`,
  })
  return erased[0]?.until ?? -1
}

/** The statement that reads the hints to what is shared with a user, in the user's home, and what that knows of the buckets. */
export function hintsOf(user_id: string): Rendered<BucketState> {
  return keptHints('hints', () => hintsStatement, { grantee_bucket: bucketTextOf(user_id), user_id })
}

const keptHints = keptStatements<BucketState>()

const hintsStatement = sql<BucketState>`SELECT bucket,
    (SELECT state FROM buckets AS place WHERE place.bucket = hint.bucket) AS state,
    (SELECT moved_to FROM buckets AS place WHERE place.bucket = hint.bucket) AS moved_to
  FROM share_hints AS hint WHERE hint.grantee_bucket = ${sql.placeholder('grantee_bucket')} AND hint.grantee_id = ${sql.placeholder('user_id')}`

/** The name of the database that a hinted bucket is in, as far as the user's home knows or else this isolate. */
export function placeOfHint(databases: Databases, hint: BucketState, home: string): string {
  if (hint.state !== null) return whereItIs([hint], home)
  if (home === FIRST) return home
  const name = databases.nameFor(hint.bucket)
  return name === home ? FIRST : name
}

type HintRow = Pick<typeof shareHints.$inferSelect, 'grantee_bucket' | 'grantee_id' | 'bucket'>

/**
 * Looks for the shares behind the oldest hints, and removes hints that nothing stands behind. Returns how many it looked
 * at. With one database there is nothing to do: nobody reads the hints.
 */
export async function checkShareHints(ctx: JobContext): Promise<number> {
  const { db, databases } = ctx
  if (databases.isOnly) return 0
  const due = seconds(ctx) - KEPT
  const oldest = await db.read<HintRow>(
    sql`SELECT grantee_bucket, grantee_id, bucket FROM share_hints WHERE hinted_at < ${due}
      ORDER BY hinted_at LIMIT ${HINTS_PER_STEP}`,
  )
  if (oldest.length === 0) return 0
  const byDatabase = Map.groupBy(oldest, ({ bucket }) => databases.nameFor(bucket))
  const hints = [...byDatabase.values()].slice(0, DATABASES_PER_STEP).flat()
  const byBucket = Map.groupBy(hints, ({ bucket }) => bucket)
  const wave = await askOnce(databases, [...byBucket.keys()], async (name, buckets) => {
    const asked = buckets.flatMap((bucket) => byBucket.get(bucket) ?? [])
    const statements = { states: statesOf(buckets), found: withShares(asked) }
    const { states, found } = await databases.named(name).read(statements)
    const places = new Set(found.map(({ place }) => place))
    return { name, states, hints: asked.map((hint, place) => ({ hint, isNeeded: places.has(place) })) }
  })
  // What a bucket's former database answers says nothing: the next step asks where the bucket is.
  const checked = wave.flatMap(({ answer, present }) =>
    answer.hints.filter(({ hint }) => present.includes(hint.bucket)),
  )
  if (checked.length === 0) return 0
  const which = (isNeeded: boolean) =>
    isAmong(checked.filter((one) => one.isNeeded === isNeeded).map(({ hint }) => hint))
  // A share that has come in between has made its hint younger.
  await db.write([
    sql`DELETE FROM share_hints WHERE ${which(false)} AND hinted_at < ${due}`,
    sql`UPDATE share_hints SET hinted_at = ${seconds(ctx) + CONFIRMED} WHERE ${which(true)} AND hinted_at < ${due}`,
  ])
  return checked.length
}

/** The statement that answers the places in the list of those hints that a share stands behind, an expired one too. */
function withShares(hints: HintRow[]): SQL<{ place: number }> {
  const ofFlag = (expired: SQL) =>
    sql`EXISTS (SELECT 1 FROM shares WHERE grantee_id = hint.value ->> 1 AND expired = ${expired}
      AND substr(id, 21, 3) = hint.value ->> 2)`
  return sql`SELECT hint.key AS place FROM json_each(${listOf(hints)}) AS hint
    WHERE ${ofFlag(sql`0`)} OR ${ofFlag(sql`1`)}`
}

function isAmong(hints: HintRow[]): SQL {
  return sql`(grantee_bucket, grantee_id, bucket)
    IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${listOf(hints)}))`
}

function listOf(hints: HintRow[]): string {
  return JSON.stringify(
    hints.map(({ grantee_bucket, grantee_id, bucket }) => [grantee_bucket, grantee_id, bucket]),
  )
}
