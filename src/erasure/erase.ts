import { type SQL, sql } from 'drizzle-orm'
import { purgeAssetsStatements } from '../assets/purge.ts'
import { BATCH_SIZE, type JobContext, type RequestContext, seconds } from '../context.ts'
import type { Database } from '../db/database.ts'
import { newId } from '../db/id.ts'
import { assetTypes } from '../db/schema.ts'
import { joined } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { idsInside } from '../files/tree/inside.ts'
import { isTimeout } from '../lib/timeout.ts'
import { callInbox } from '../notifications/call-inbox.ts'
import { enqueueDeletion } from '../storage/garbage.ts'
import { dropEmptied, markEmptied, purgeEmptied, removeAtOnce } from '../trash/purge.ts'

/** As far as the clocks of two Workers may be apart, in seconds. */
const SKEW = 60

/** As many rows of each kind as the request itself marks or removes; the job takes the rest. */
const ROWS_AT_ONCE = 100

/**
 * Erases a user (decisions, "For those who run it") by one mark: everything that they made before it is gone from every
 * answer at once, however much there is, and their own token opens an empty account. What is made later is the new
 * account's. The inbox is emptied by its object. The rows are removed by the job, the first of them right away; so is
 * all that is left when this is cut off. Branches that others made keep their content.
 */
export async function eraseUser(ctx: RequestContext, user_id: string): Promise<void> {
  const { db, now_ms } = ctx
  const {
    marked: [erasure],
  } = await db.batch({
    // What was made since an erasure that is still under way was made at its `until` + 1, or later. The new mark sorts
    // behind the old one whatever the clocks say: a text with something after it sorts right behind the text.
    marked: sql<Erasure>`INSERT INTO erasures (user_id, until, mark) VALUES (${user_id}, ${seconds(ctx) + SKEW}, ${newId(user_id)})
      ON CONFLICT (user_id) DO UPDATE
      SET until = max(until + 1, excluded.until), mark = max(mark || '0', excluded.mark), next_at = 0, inbox_erased = 0
      RETURNING user_id, until, mark, inbox_erased`,
    emptied: markEmptied(user_id),
    limit: sql`UPDATE usage SET limit_bytes = NULL WHERE user_id = ${user_id}`,
  })
  if (!erasure) throw new ApiError('INTERNAL')
  const { until, mark } = erasure
  await callInbox(ctx, user_id, (inbox) => inbox.erase(mark, { sockets: true }), true)
  await db.batch([
    inboxIsErased(user_id, until),
    ...removing(user_id, until, now_ms, ROWS_AT_ONCE),
    ...removeAtOnce(now_ms, user_id),
    ...purgeAssetsStatements(sql`owner_id = ${user_id}`, ROWS_AT_ONCE),
    ...removingUploads(user_id, until, now_ms, ROWS_AT_ONCE),
    ...ending(user_id, until, seconds(ctx)),
  ])
}

/**
 * One step of erasing for the job: it removes some of what one user had, and ends an erasure of which nothing is left.
 * Users take turns, and one that can't be erased keeps no other from theirs; but after a call that was not answered the
 * others wait for the next run. Tells how many it went over, also those of whom nothing was left: others may be
 * waiting behind them.
 */
export async function eraseStep(ctx: JobContext): Promise<number> {
  const [erasure] = await ctx.db.all<Erasure>(
    sql`SELECT user_id, until, mark, inbox_erased FROM erasures WHERE next_at <= ${ctx.now_ms} ORDER BY next_at LIMIT 1`,
  )
  if (!erasure) return 0
  const { user_id, until } = erasure
  let unanswered: unknown
  const found = await eraseFurther(ctx, erasure).catch((error: unknown) => {
    console.error(JSON.stringify({ message: 'an erasure goes on later', error: String(error) }))
    if (isTimeout(error)) unanswered = error
    return 0
  })
  const next_at = found > 0 ? ctx.now_ms : Math.max(ctx.now_ms, until * 1_000) + 1_000
  await ctx.db.all(
    sql`UPDATE erasures SET next_at = ${next_at} WHERE user_id = ${user_id} AND until = ${until}`,
  )
  if (unanswered) throw unanswered
  return 1
}

interface Erasure {
  user_id: string
  until: number
  /** Its id, which sorts behind that of the erasure before. */
  mark: string
  inbox_erased: 0 | 1
}

/** Removes as much of a user as a step holds, then their inbox if that is still to be done. Tells how much there was. */
async function eraseFurther(
  ctx: JobContext,
  { user_id, until, mark, inbox_erased }: Erasure,
): Promise<number> {
  const removed = await count(ctx.db, [
    ...removing(user_id, until, ctx.now_ms, BATCH_SIZE),
    ...removingUploads(user_id, until, ctx.now_ms, BATCH_SIZE),
  ])
  if (inbox_erased === 0) await callInbox(ctx, user_id, (inbox) => inbox.erase(mark), true)
  return (
    removed + (await count(ctx.db, [inboxIsErased(user_id, until), ...ending(user_id, until, seconds(ctx))]))
  )
}

async function count(db: Database, statements: SQL[]): Promise<number> {
  const results = await db.batch(statements)
  return results.reduce((sum, rows) => sum + rows.length, 0)
}

function inboxIsErased(user_id: string, until: number): SQL {
  return sql`UPDATE erasures SET inbox_erased = 1 WHERE user_id = ${user_id} AND until = ${until} AND inbox_erased = 0`
}

/** What a user made by `until` and was not deleted by itself: the ids of what is at their root level. */
function atRoot(user_id: string, until: number): SQL {
  return idsInside(
    sql`(SELECT ${user_id} AS user_id) AS erased`,
    sql`inside.owner_id = erased.user_id AND inside.parent_id IS NULL AND inside.asset_type IN ${[...assetTypes]}
      AND inside.created_at <= ${until}`,
  )
}

/** The ids of a user's assets of that time, deleted or not. */
function ownAssets(user_id: string, until: number): SQL {
  const own = sql`owner_id = ${user_id} AND created_at <= ${until}`
  return sql`SELECT id FROM game_assets INDEXED BY game_assets_own WHERE ${own} AND deleted_at IS NULL
    UNION ALL SELECT id FROM game_assets INDEXED BY game_assets_deleted
    WHERE ${own} AND deleted_at IS NOT NULL AND purging = 0`
}

/** The ids of a user's uploads of assets of that time, but those that a version came of as long as it is there. */
function ownUploads(user_id: string, until: number): SQL {
  return sql`SELECT id FROM uploads INDEXED BY uploads_of_assets
    WHERE owner_id = ${user_id} AND created_at <= ${until} AND upload_type = 'game_asset'
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE asset_versions.id = uploads.completion_id)`
}

/** The ids of what was shared with a user by then. */
function withGrantee(user_id: string, until: number): SQL {
  return joined(
    ['0', '1'].map(
      (expired) => sql`SELECT id FROM shares
        WHERE grantee_id = ${user_id} AND expired = ${sql.raw(expired)} AND created_at <= ${until}`,
    ),
    ' UNION ALL ',
  )
}

/** The statements that mark or remove up to `most` of each kind of thing that a user made by `until`. */
function removing(user_id: string, until: number, now_ms: number, most: number): SQL[] {
  const some = (ids: SQL) => sql`id IN (${ids} LIMIT ${most})`
  return [
    sql`UPDATE files SET purging = 1, trashed_at = ${now_ms}, revision = revision + 1
      WHERE ${some(atRoot(user_id, until))} RETURNING id`,
    purgeEmptied(user_id, most),
    sql`UPDATE game_assets SET purging = 1, deleted_at = coalesce(deleted_at, ${now_ms})
      WHERE ${some(ownAssets(user_id, until))} RETURNING id`,
    sql`DELETE FROM shares WHERE ${some(withGrantee(user_id, until))} RETURNING id`,
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (
        SELECT caller_id, key FROM idempotency WHERE caller_id = ${user_id} AND created_at <= ${until} LIMIT ${most}
      ) RETURNING key`,
  ]
}

/** The same for uploads of assets, to stand behind what removes versions. */
function removingUploads(user_id: string, until: number, now_ms: number, most: number): SQL[] {
  const some = sql`id IN (${ownUploads(user_id, until)} LIMIT ${most})`
  return [
    enqueueDeletion(sql`${some} AND state <> 'completed'`, Math.floor(now_ms / 1_000)),
    sql`DELETE FROM uploads WHERE ${some} RETURNING id`,
  ]
}

/**
 * The statements that end an erasure of which nothing is left, but not before its `until`: the next one has to know what
 * has been made since, which was made at that time + 1. Then they forget what the account counted, unless there is
 * something to count, or a limit that was given to it since.
 */
function ending(user_id: string, until: number, now: number): SQL[] {
  const left = [
    atRoot(user_id, until),
    sql`SELECT 1 FROM trash_emptied WHERE owner_id = ${user_id}`,
    sql`SELECT 1 FROM files WHERE owner_id = ${user_id} AND purging = 1`,
    ownAssets(user_id, until),
    sql`SELECT 1 FROM game_assets WHERE owner_id = ${user_id} AND created_at <= ${until} AND purging = 1`,
    ownUploads(user_id, until),
    withGrantee(user_id, until),
    sql`SELECT 1 FROM idempotency WHERE caller_id = ${user_id} AND created_at <= ${until}`,
  ]
  return [
    dropEmptied(user_id),
    sql`DELETE FROM erasures WHERE user_id = ${user_id} AND until = ${until} AND until < ${now} AND inbox_erased = 1
      AND ${joined(
        left.map((rows) => sql`NOT EXISTS (${rows})`),
        ' AND ',
      )} RETURNING user_id`,
    sql`DELETE FROM usage WHERE user_id = ${user_id}
      AND (used_bytes, items, assets, versions, public_assets) = (0, 0, 0, 0, 0)
      AND (open_uploads, ended_uploads, idempotency_keys) = (0, 0, 0) AND limit_bytes IS NULL
      AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.user_id = usage.user_id)`,
  ]
}
