import { sql } from 'drizzle-orm'
import { changeLists, listsIn, type MuteListRow } from '../../features/mutes/copy.ts'
import { callInbox } from '../../features/notifications/call-inbox.ts'
import { newId } from '../../platform/db/id.ts'
import type { ComparedPage, Finding, ReconcileContext } from './page.ts'

/** How many lists a page compares. Each costs a call to an inbox. */
const LISTS = 50

/**
 * Compares the next users' mutes with the copies in their inboxes. A list whose copy is due does not count. A repair gives the list
 * a version above the one of the copy, and the job copies it.
 *
 * @throws UNAVAILABLE
 */
export async function compareMutes(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const of = sql`FROM mute_lists WHERE user_id > ${ctx.after} ORDER BY user_id LIMIT ${LISTS}`
  const lists = await db.read({
    due: sql<{
      user_id: string
    }>`SELECT user_id FROM (SELECT user_id, due_at ${of}) WHERE due_at IS NOT NULL`,
    all: listsIn(of),
  })
  const due = new Set(lists.due.map(({ user_id }) => user_id))
  const found: Finding[] = []
  for (const list of lists.all) {
    if (due.has(list.user_id)) continue
    const copy = await callInbox(ctx, list.user_id, async (inbox) => inbox.mutes(), true)
    if (isSame(list, copy)) continue
    const isStill = sql`user_id = ${list.user_id} AND version = ${list.version} AND due_at IS NULL`
    const { user_id } = list
    // The version of a copy that a restore of the database has left behind is higher.
    const above = [newId(user_id), `${copy.version}0`].sort().at(-1) ?? ''
    const differing = ctx.isRepair
      ? await db.write(sql`${changeLists(isStill, above, 0)} RETURNING user_id`)
      : await db.read(sql`SELECT user_id FROM mute_lists WHERE ${isStill}`)
    if (differing.length === 0) continue
    found.push({ problem: 'mutes_differ', id: user_id, owner_id: user_id, is_repaired: ctx.isRepair })
  }
  return {
    looked_at: lists.all.length,
    next: lists.all.length < LISTS ? null : (lists.all.at(-1)?.user_id ?? null),
    found,
  }
}

/** Whether a copy has the users of a list. */
function isSame({ muted }: MuteListRow, copy: { user_ids: string[] }): boolean {
  const user_ids: string[] = JSON.parse(muted)
  return JSON.stringify(user_ids.sort()) === JSON.stringify(copy.user_ids.sort())
}
