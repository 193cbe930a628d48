import type { InboxContext, LaterContext } from '../../platform/context.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { knownAnnouncements } from '../announcements/known.ts'
import type { Announcements } from '../announcements/row.ts'
import { callInbox } from './call-inbox.ts'
import { type PublicationContext, rulesOf } from './publish.ts'
import type { Announced, InboxMethods, SyncState } from './rpc.ts'

const NOTHING: Announced = { version: 0, latest: 0 }

/**
 * Reads the caller's inbox for a list, a count or a socket. The call tells the inbox which announcements this isolate knows. An
 * inbox that lacks one says so; then it is synced with the list of announcements and read again. A list that the isolate reads
 * later is synced after the answer. With NOTIFY_SHARES=on the first read makes the tables of the inbox. A read on behalf of a user
 * makes none: an inbox without tables stays as it is, and takes in no announcement.
 *
 * @throws UNAVAILABLE
 */
export async function readInbox<Answer extends SyncState>(
  ctx: InboxContext,
  call: (inbox: DurableObjectStub<InboxMethods>, announced: Announced) => Promise<Answer>,
): Promise<Answer> {
  const { user_id, actor_id } = ctx
  const { list, isDue } = knownAnnouncements.look(ctx)
  const isOwn = actor_id === undefined
  const opens = isOwn && ctx.config.NOTIFY_SHARES === 'on'
  const announced = { ...(list ? latestOf(list, ctx.now_ms) : NOTHING), opens, only_open: !isOwn }
  if (isDue) ctx.afterwards((later) => passOn(later, user_id, announced))
  const answer = await callInbox(ctx, user_id, (inbox) => call(inbox, announced), true)
  if (!answer.is_behind || !list) return answer
  await sync(ctx, user_id, list)
  return callInbox(ctx, user_id, (inbox) => call(inbox, NOTHING), true)
}

/**
 * Syncs the inbox with a list that the isolate did not know at the time of the call. Otherwise a user whose reads all come to new
 * isolates would get no announcement, and would keep each ended one.
 */
async function passOn(ctx: LaterContext, user_id: string, told: Announced): Promise<void> {
  try {
    const list = await knownAnnouncements.read(ctx)
    if (list.version > told.version && !told.only_open) await sync(ctx, user_id, list)
  } catch (error) {
    logWarning('announcements were not passed on', { error: String(error) })
  }
}

async function sync(ctx: PublicationContext, user_id: string, list: Announcements): Promise<void> {
  await callInbox(ctx, user_id, (inbox) => inbox.sync(list, user_id, rulesOf(ctx)), true)
}

/** The version of a list, and its latest announcement that has not expired. */
function latestOf({ version, announcements }: Announcements, now_ms: number): Announced {
  const numbers = announcements
    .filter(({ expires_at }) => expires_at * 1_000 > now_ms)
    .map(({ number }) => number)
  return { version, latest: Math.max(0, ...numbers) }
}
