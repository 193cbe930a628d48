import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type RequestContext, seconds } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/id.ts'
import type { muteLists } from '../../platform/db/schema.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import { callInbox } from '../notifications/call-inbox.ts'
import { isOf } from './list.ts'

/*
 * The mutes of a user lie in D1, and the user's inbox has a copy (docs/scaling.md#muted-players). A copy is always the whole list,
 * with its version. The batch that changes the list sets a new version and makes the copy due, and the request sends the list to
 * the inbox. After a crash or a failure the job sends it. The inbox ignores every version that is not above its own.
 */

/** How long the job leaves a changed list to its request, in seconds. */
export const LEFT_TO_REQUEST = MINUTE
/** How long the job waits after an inbox has failed, in seconds. */
const PAUSE = 5 * MINUTE
/** How many lists a step of the job copies. */
export const LISTS_PER_STEP = 10

/** A user's mutes at a version. `muted` is a JSON list of ids. */
export interface MuteListRow extends Pick<typeof muteLists.$inferSelect, 'user_id' | 'version'> {
  muted: string
}

/** SQL: a SELECT of the lists in `from` (`FROM mute_lists … WHERE …`). `isLeft`: which of the mutes belong to the copy. */
export function listsIn(from: SQL, isLeft = sql`true`): SQL<MuteListRow> {
  return sql<MuteListRow>`SELECT mute_lists.user_id, version, (
      SELECT json_group_array(muted_id) FROM mutes WHERE ${isOf(sql`mute_lists.user_id`)} AND ${isLeft}
    ) AS muted ${from}`
}

/** SQL: the version of a changed list: above the one that it has, also when clocks differ. `id` is a new id. */
export function nextVersion(id: string | SQL): SQL {
  return sql`max(version || '0', ${id})`
}

/** Sends a list to the inbox of its user. @throws UNAVAILABLE */
export async function sendList(
  ctx: Pick<RequestContext, 'inboxes' | 'config'>,
  { user_id, version, muted }: MuteListRow,
  mayRepeat = true,
): Promise<void> {
  const user_ids: string[] = JSON.parse(muted)
  await callInbox(ctx, user_id, (inbox) => inbox.setMutes(version, user_ids), mayRepeat)
}

/** The statement that records that inboxes have these versions. */
export function recordCopied(lists: readonly Pick<MuteListRow, 'user_id' | 'version'>[]): SQL {
  return sql`UPDATE mute_lists SET due_at = NULL WHERE due_at IS NOT NULL AND ${isAmong(lists)}`
}

/** SQL: whether a row of `mute_lists` is one of these, with the same version. */
function isAmong(lists: readonly Pick<MuteListRow, 'user_id' | 'version'>[]): SQL {
  const pairs = JSON.stringify(lists.map(({ user_id, version }) => [user_id, version]))
  return sql`(user_id, version) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${pairs}))`
}

/** Sends lists to their inboxes. Returns those that arrived. Does not throw: a list that fails is sent again later. */
async function sendAll(ctx: JobContext, lists: readonly MuteListRow[]): Promise<MuteListRow[]> {
  const errors: unknown[] = []
  const sent = await pooled(lists, async (list) => {
    try {
      await sendList(ctx, list, false)
      return [list]
    } catch (error) {
      errors.push(error)
      return []
    }
  })
  if (errors.length > 0)
    logWarning('muted users are passed on later', { lists: errors.length, error: String(errors[0]) })
  return sent.flat()
}

/**
 * Copies up to LISTS_PER_STEP lists to inboxes whose requests did not. A list whose inbox fails waits for PAUSE and delays no other.
 * Returns how many lists were copied; 0 when every inbox fails, which ends the task in this run.
 */
export async function copyLists(ctx: JobContext): Promise<number> {
  const now = seconds(ctx)
  const lists = await ctx.db.read(
    listsIn(sql`FROM mute_lists WHERE due_at <= ${now} ORDER BY due_at LIMIT ${LISTS_PER_STEP}`),
  )
  if (lists.length === 0) return 0
  const sent = await sendAll(ctx, lists)
  const failed = lists.filter((list) => !sent.includes(list))
  await ctx.db.write([
    recordCopied(sent),
    sql`UPDATE mute_lists SET due_at = ${now + PAUSE} WHERE ${isAmong(failed)}`,
  ])
  return sent.length
}

/** How many lists one step of an erasure takes the erased user out of, in each database. */
export const LISTS_PER_ERASURE_STEP = 10

/** SQL: the mutes of others that name a user, made by `until` (Unix seconds). */
export function mutesNaming(user_id: string | SQL, until: number | SQL): SQL {
  return sql`SELECT mutes.user_id FROM mutes INDEXED BY mutes_of_muted
    WHERE mutes.muted_id = ${user_id} AND mutes.created_at <= ${until}`
}

/**
 * Takes an erased user out of up to LISTS_PER_ERASURE_STEP lists of a database and out of their copies. A mute is removed from D1
 * after its inbox has the list without it, so a failure leaves it for a later step. Returns how many mutes it found, and how many
 * of them it removed.
 */
export async function forgetMuted(
  ctx: JobContext,
  db: Database,
  { user_id, until }: { user_id: string; until: number },
): Promise<{ found: number; forgotten: number }> {
  const isErased = sql`mutes.muted_id = ${user_id} AND mutes.created_at <= ${until}`
  const some = sql`mute_lists.user_id IN (${mutesNaming(user_id, until)} LIMIT ${LISTS_PER_ERASURE_STEP})`
  if ((await db.read(sql`${mutesNaming(user_id, until)} LIMIT 1`)).length === 0)
    return { found: 0, forgotten: 0 }
  const { lists } = await db.write({
    changed: changeLists(some, newId(user_id), seconds(ctx) + LEFT_TO_REQUEST),
    lists: listsIn(sql`FROM mute_lists WHERE ${some}`, sql`NOT (${isErased})`),
  })
  const sent = await sendAll(ctx, lists)
  await db.write([
    sql`DELETE FROM mutes WHERE ${isErased} AND user_id IN (SELECT user_id FROM mute_lists WHERE ${isAmong(sent)})`,
    recordCopied(sent),
  ])
  return { found: lists.length, forgotten: sent.length }
}

/** The statement that gives lists a new version and makes their copies due. */
export function changeLists(which: SQL, id: string, due_at: number): SQL {
  return sql`UPDATE mute_lists SET version = ${nextVersion(id)}, due_at = ${due_at} WHERE ${which}`
}
