import type { InboxContext } from '../../platform/context.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { type KnownAnnouncements, knownAnnouncements } from '../announcements/known.ts'
import type { Announcements } from '../announcements/row.ts'
import { callInbox } from './call-inbox.ts'
import { rulesOf } from './publish.ts'
import type { Announced, InboxMethods, Look } from './rpc.ts'

const NOTHING: Announced = { version: 0, latest: 0 }

/**
 * Calls the caller's inbox for a look at it: a list, a count or a socket. The call tells the inbox which announcements this
 * isolate knows. An inbox that lacks one says so, gets the list of announcements, and is asked again. What the isolate
 * learns during the request goes to the inbox by a call of its own, for which no answer waits.
 *
 * @throws UNAVAILABLE
 */
export async function lookInto<Answer extends Look>(
  ctx: InboxContext,
  call: (inbox: DurableObjectStub<InboxMethods>, announced: Announced) => Promise<Answer>,
): Promise<Answer> {
  const known = knownAnnouncements(ctx)
  const announced = known.list ? latestOf(known.list, ctx.now_ms) : NOTHING
  if (known.learned) ctx.afterwards(pass(ctx, known.learned, announced))
  const answer = await callInbox(ctx, ctx.user_id, (inbox) => call(inbox, announced), true)
  if (!answer.is_behind || !known.list) return answer
  await takeIn(ctx, known.list)
  return callInbox(ctx, ctx.user_id, (inbox) => call(inbox, NOTHING), true)
}

/**
 * Passes on to the inbox a list that was not known yet when the request called it. Without this, a user whose looks all come
 * to isolates that have just begun would get no announcement, and keep each that has ended.
 */
async function pass(
  ctx: InboxContext,
  learned: NonNullable<KnownAnnouncements['learned']>,
  told: Announced,
): Promise<void> {
  try {
    const list = await learned
    if (list.version > told.version) await takeIn(ctx, list)
  } catch (error) {
    logWarning('announcements were not passed on', { error: String(error) })
  }
}

async function takeIn(ctx: InboxContext, list: Announcements): Promise<void> {
  await callInbox(ctx, ctx.user_id, (inbox) => inbox.takeIn(list, ctx.user_id, rulesOf(ctx)), true)
}

/** What a call tells of a list. An announcement that has expired is not told. */
function latestOf({ version, announcements }: Announcements, now_ms: number): Announced {
  const numbers = announcements
    .filter(({ expires_at }) => expires_at * 1_000 > now_ms)
    .map(({ number }) => number)
  return { version, latest: Math.max(0, ...numbers) }
}
