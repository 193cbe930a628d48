import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { muteLists, mutes } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { createdAt, erasedUntil } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { LEFT_TO_REQUEST, listsIn, type MuteListRow, nextVersion, recordCopied, sendList } from './copy.ts'

type ListParams = Params<'user_id' | 'version' | 'now' | 'due_at'>

/** SQL: the assignments to a list that changes. A list of the user after an erasure is above the erasure's mark. */
const changes = (p: ListParams) => sql`version = ${nextVersion(sql`max(${p.version}, ${erasureMark(p)})`)},
  changed_at = ${createdAt(p.now, p.user_id)}, due_at = ${p.due_at}`

/** SQL: text above the mark of the user's erasure; '' without one. */
const erasureMark = (p: Params<'user_id'>) =>
  sql`coalesce((SELECT mark || '0' FROM erasures WHERE user_id = ${p.user_id} AND is_guest = 0), '')`

const startList = statement((p: ListParams) => {
  const row = {
    user_id: p.user_id,
    version: sql`max(${p.version}, ${erasureMark(p)})`,
    changed_at: createdAt(p.now, p.user_id),
    due_at: p.due_at,
  }
  return sql`${insert(muteLists, row)} ON CONFLICT (user_id) DO UPDATE SET ${changes(p)}`
})
const changeList = statement(
  (p: ListParams) => sql`UPDATE mute_lists SET ${changes(p)} WHERE user_id = ${p.user_id}`,
)
/** A row that is being erased becomes one of the new account. */
const add = statement((p: Params<'id' | 'user_id' | 'muted_id' | 'now'>) => {
  const row = { user_id: p.user_id, muted_id: p.muted_id, id: p.id, created_at: createdAt(p.now, p.user_id) }
  return sql`${insert(mutes, row)} ON CONFLICT (user_id, muted_id) DO UPDATE
    SET id = excluded.id, created_at = excluded.created_at WHERE created_at <= ${erasedUntil(p.user_id)}`
})
const remove = statement(
  (p: Params<'user_id' | 'muted_id'>) =>
    sql`DELETE FROM mutes WHERE user_id = ${p.user_id} AND muted_id = ${p.muted_id}`,
)
const listOf = statement((p: Params<'user_id'>) =>
  listsIn(sql`FROM mute_lists WHERE mute_lists.user_id = ${p.user_id}`),
)

/**
 * Mutes a user, who need not exist, for the caller (docs/conformance.md#muted-players). Muting again keeps the first `created_at`,
 * and passes the list to the inbox again.
 *
 * @throws VALIDATION_FAILED (oneself), LIMIT_REACHED (mutes); UNAVAILABLE, also when the mute is stored and the inbox does not
 * answer: then the job passes it on
 */
export async function muteUser(ctx: RequestContext, muted_id: string): Promise<void> {
  const { db, user_id } = ctx
  if (muted_id === user_id)
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'You can’t mute yourself.',
      errors: [{ in: 'path', path: '/user_id', message: 'must be another user' }],
    })
  const mute = { id: newId(user_id), user_id, muted_id, now: seconds(ctx) }
  const { lists } = await db.write({
    usage: ensureUsageRow(ctx),
    added: add(mute),
    changed: startList(changedList(ctx)),
    lists: listOf({ user_id }),
  })
  await passOn(ctx, lists)
}

/** Unmutes a user for the caller. A user who is not muted stays so. @throws UNAVAILABLE, as `muteUser` */
export async function unmuteUser(ctx: RequestContext, muted_id: string): Promise<void> {
  const { db, user_id } = ctx
  const { lists } = await db.write({
    removed: remove({ user_id, muted_id }),
    changed: changeList(changedList(ctx)),
    lists: listOf({ user_id }),
  })
  await passOn(ctx, lists)
}

function changedList(ctx: RequestContext) {
  const { user_id } = ctx
  return { user_id, version: newId(user_id), now: seconds(ctx), due_at: seconds(ctx) + LEFT_TO_REQUEST }
}

/** Sends the list to the caller's inbox, and records it after the answer. Nothing is sent for a user who has no list. */
async function passOn(ctx: RequestContext, [list]: MuteListRow[]): Promise<void> {
  if (!list) return
  await sendList(ctx, list)
  ctx.afterwards(async ({ databases }) => {
    try {
      await databases.home(list.user_id).write(recordCopied([list]))
    } catch (error) {
      logWarning('muted users are passed on once more', { error: String(error) })
    }
  })
}
