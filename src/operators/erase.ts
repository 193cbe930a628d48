import sql, { raw, type Sql } from 'sql-template-tag'
import { isUnanswered } from '../deadline.ts'
import { purgeAssetsStep, purgingAssets } from '../game-assets/purge.ts'
import { reach } from '../notifications/reach.ts'
import { purgeStep } from '../trash/purge.ts'
import { giveUp } from '../uploads/give-up.ts'
import { type Job, STEP, seconds, type Work } from '../work.ts'

/** What is under way while a user is erased counts as theirs for so long, in seconds. */
const GRACE = 60

/** As many steps of removing as the request itself takes; the job takes the rest. */
const STEPS_AT_ONCE = 5

/**
 * Erases a user (decisions, "For those who run it"): when this is done, nothing of theirs can be read any more, and
 * their own token opens an empty account. The rows that a large account leaves are removed by the job; so is the rest
 * when this is cut off, or is repeated. Branches that others made keep their content.
 */
export async function eraseUser(work: Work, user_id: string): Promise<void> {
  const until = seconds(work) + GRACE
  await work.db.batch([
    sql`INSERT INTO erasures (user_id, until) VALUES (${user_id}, ${until})
      ON CONFLICT (user_id) DO UPDATE SET until = max(until, excluded.until), next_at = 0`,
    sql`UPDATE usage SET limit_bytes = NULL WHERE user_id = ${user_id}`,
  ])
  // First what is soon done: nobody reads on while the rest is marked.
  await eraseInbox(work, user_id, until, { sockets: true })
  await markAll(work, user_id, until)
  for (let steps = 0; steps < STEPS_AT_ONCE; steps++) {
    const { folders, others } = await purgeStep(work.db, work.now_ms, user_id)
    const assets = await purgeAssetsStep(work.db, sql`owner_id = ${user_id}`)
    if (folders + others + assets === 0) break
  }
  await markAll(work, user_id, until)
  await forgetAccount(work, user_id)
}

/**
 * One step of erasing for the job: goes over everything again, for what was under way, and ends an erasure when nothing
 * is left and nothing can come any more. Users take turns, and one that can't be erased keeps no other from theirs; but
 * after a call that was not answered the others wait for the next run. Tells how many it went over, also those of whom
 * nothing was left: others may be waiting behind them.
 */
export async function eraseStep(job: Job): Promise<number> {
  const users = await job.db.all<{ user_id: string; until: number }>(
    sql`SELECT user_id, until FROM erasures WHERE next_at <= ${job.now_ms} ORDER BY next_at LIMIT 1`,
  )
  for (const { user_id, until } of users) {
    let unanswered: unknown
    const found = await eraseAgain(job, user_id, until).catch((error: unknown) => {
      console.error(JSON.stringify({ message: 'an erasure goes on later', error: String(error) }))
      if (isUnanswered(error)) unanswered = error
      return 0
    })
    const next_at = found > 0 ? job.now_ms : Math.max(job.now_ms, until * 1_000) + 1_000
    await job.db.all(sql`UPDATE erasures SET next_at = ${next_at} WHERE user_id = ${user_id}`)
    if (unanswered) throw unanswered
  }
  return users.length
}

async function eraseAgain(job: Job, user_id: string, until: number): Promise<number> {
  const marked = await markStep(job, user_id, until)
  const left = marked + (await eraseInbox(job, user_id, until))
  return left === 0 && seconds(job) > until ? endErasure(job, user_id, until) : left
}

/** Goes on until nothing is left to be marked. */
async function markAll(work: Work, user_id: string, until: number): Promise<void> {
  while ((await markStep(work, user_id, until)) > 0) {}
}

/** Marks or removes up to STEP of each kind of thing that the user made by `until`. Tells how many there were. */
async function markStep(
  { db, now_ms }: Pick<Work, 'db' | 'now_ms'>,
  user_id: string,
  until: number,
): Promise<number> {
  const own = sql`owner_id = ${user_id} AND created_at <= ${until}`
  const doomed = (rows: Sql) => sql`${rows} LIMIT ${STEP}`
  const uploads = doomed(
    sql`SELECT id FROM uploads WHERE ${own} AND upload_type = 'game_asset'
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE asset_versions.id = uploads.completion_id)`,
  )
  const gone = await db.batch<{ id: string }[]>([
    purging(
      doomed(sql`SELECT id FROM files WHERE ${own} AND parent_id IS NULL AND trashed_at IS NULL`),
      now_ms,
    ),
    purging(
      doomed(sql`SELECT id FROM files WHERE ${own} AND trashed_at IS NOT NULL AND purging = 0`),
      now_ms,
    ),
    purgingAssets(
      sql`id IN (${doomed(sql`SELECT id FROM game_assets WHERE ${own} AND deleted_at IS NULL`)})`,
      now_ms,
    ),
    purgingAssets(
      sql`id IN (${doomed(sql`SELECT id FROM game_assets WHERE ${own} AND deleted_at IS NOT NULL AND purging = 0`)})`,
      now_ms,
    ),
    giveUp(sql`id IN (${uploads}) AND state <> 'completed'`),
    sql`DELETE FROM uploads WHERE id IN (${uploads}) RETURNING id`,
    ...['0', '1'].map(
      (expired) =>
        sql`DELETE FROM shares WHERE id IN (${doomed(
          sql`SELECT id FROM shares WHERE grantee_id = ${user_id} AND expired = ${raw(expired)} AND created_at <= ${until}`,
        )}) RETURNING id`,
    ),
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (${doomed(
      sql`SELECT caller_id, key FROM idempotency WHERE caller_id = ${user_id} AND created_at <= ${until}`,
    )}) RETURNING key AS id`,
  ])
  return gone.reduce((count, rows) => count + rows.length, 0)
}

/** SQL: deletes items for good: they and what lies below are gone at once, and removed step by step. */
function purging(ids: Sql, now_ms: number): Sql {
  return sql`UPDATE files SET purging = 1, trashed_at = coalesce(trashed_at, ${now_ms}), revision = revision + 1
    WHERE id IN (${ids}) RETURNING id`
}

function eraseInbox(
  work: Pick<Work, 'inboxes' | 'config'>,
  user_id: string,
  until: number,
  options?: { sockets: boolean },
): Promise<number> {
  return reach(work, user_id, (inbox) => inbox.erase(until, options), true)
}

/** Forgets what the account counted, unless there is something to count, or a limit that was given to it since. */
async function forgetAccount({ db }: Pick<Work, 'db'>, user_id: string): Promise<void> {
  await db.all(
    sql`DELETE FROM usage WHERE user_id = ${user_id}
      AND (used_bytes, items, assets, versions, public_assets) = (0, 0, 0, 0, 0)
      AND (open_uploads, ended_uploads, idempotency_keys) = (0, 0, 0) AND limit_bytes IS NULL`,
  )
}

/** The erasure is over when nothing is marked any more. */
async function endErasure(job: Job, user_id: string, until: number): Promise<number> {
  const [ended] = await job.db.all(
    sql`DELETE FROM erasures WHERE user_id = ${user_id} AND until = ${until}
      AND NOT EXISTS (SELECT 1 FROM files WHERE owner_id = ${user_id} AND purging = 1)
      AND NOT EXISTS (SELECT 1 FROM game_assets WHERE owner_id = ${user_id} AND deleted_at IS NOT NULL AND purging = 1)
      RETURNING user_id`,
  )
  if (!ended) return 0
  await forgetAccount(job, user_id)
  return 1
}
