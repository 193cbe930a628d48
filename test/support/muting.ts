import { env } from 'cloudflare:test'
import { expect } from 'vitest'
import { listMutes } from '../../src/features/mutes/list.ts'
import { publishNotification } from '../../src/features/notifications/publish.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { everywhere } from './databases.ts'

/** What tests of muting do over and over. */

/** The ids of the users whom a user has muted, as the list shows them, sorted. */
export async function mutedBy(ctx: RequestContext): Promise<string[]> {
  const { rows } = await listMutes(ctx, { limit: 100, cursor: undefined })
  return rows.map(({ user_id }) => user_id).sort()
}

/** The ids in the inbox's copy, sorted. */
export async function copyOf({ user_id }: Pick<RequestContext, 'user_id'>): Promise<string[]> {
  return (await env.INBOX.getByName(user_id).mutes()).user_ids.sort()
}

/** Fails unless the inbox's copy is the list of the database, and returns it. */
export async function expectCopied(ctx: RequestContext): Promise<string[]> {
  const muted = await mutedBy(ctx)
  expect(await copyOf(ctx), 'the copy').toEqual(muted)
  return muted
}

/** Publishes a notification that one user causes to another. @throws MUTED_BY_USER */
export const publishFrom = (sender: RequestContext, to: RequestContext) =>
  publishNotification(to, {
    user_id: to.user_id,
    sender_id: sender.user_id,
    type: 'shop.gift',
    data: { item: 'sword' },
  })

/** How many mutes name a user, in all databases. */
export async function mutesNaming({ user_id }: Pick<RequestContext, 'user_id'>): Promise<number> {
  const rows = await everywhere<{ mutes: number }>(
    'SELECT count(*) AS mutes FROM mutes WHERE muted_id = ?',
    user_id,
  )
  return rows.reduce((sum, { mutes }) => sum + mutes, 0)
}

/** Makes the copy of every list due, as when the minute of its request is over. */
export const makeDue = () => everywhere('UPDATE mute_lists SET due_at = 0 WHERE due_at IS NOT NULL')
