import { env } from 'cloudflare:test'
import { publishNotification } from '../../src/features/notifications/publish.ts'
import { createShare } from '../../src/features/shares/create.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, file, folder, newVersion, upload, version } from './acts.ts'
import { contextOf } from './context.ts'
import { everywhere } from './databases.ts'
import { newUserId } from './ids.ts'
import { rulesWith, writeOf } from './saves-object.ts'

/** What tests of erasing do over and over. */

export const share = (work: RequestContext, id: string, grantee: RequestContext) =>
  createShare(work, id, { grantee_id: grantee.user_id, permission: 'view' })

export const publish = (work: RequestContext) =>
  publishNotification(work, {
    user_id: work.user_id,
    type: 'friend_request',
    data: { from_user_id: 1, from_display_name: 'somebody' },
  })

/** Every table that could still know a user, and how often it does. */
export async function leftOf(user_id: string): Promise<unknown> {
  const rows = await everywhere<Record<string, number>>(
    `SELECT (SELECT count(*) FROM files WHERE owner_id = ?1) AS files,
      (SELECT count(*) FROM uploads WHERE owner_id = ?1) AS uploads,
      (SELECT count(*) FROM game_assets WHERE owner_id = ?1) AS assets,
      (SELECT count(*) FROM shares WHERE grantee_id = ?1) AS shares,
      (SELECT count(*) FROM usage WHERE user_id = ?1) AS usage,
      (SELECT count(*) FROM idempotency WHERE caller_id = ?1) AS keys,
      (SELECT count(*) FROM erasures WHERE user_id = ?1) AS erasures`,
    user_id,
  )
  const left: Record<string, number> = {}
  for (const [name, count] of rows.flatMap(Object.entries)) left[name] = (left[name] ?? 0) + count
  const { total } = await env.INBOX.getByName(user_id).counts()
  const { used_bytes } = await env.SAVES.getByName(user_id).list(false, rulesWith())
  return { ...left, total, used_bytes }
}

export const page = { limit: 50, cursor: undefined, order: undefined }

/** Something of everything, of ada's; bob has to do with it. */
export async function scene() {
  const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
  const top = await folder(ada, 'top')
  const inside = await file(ada, top.id)
  const source = await asset(ada, 'source', 'public')
  await version(ada, source.id)
  await upload(ada, top.id)
  await newVersion(ada, source.id)
  const theirs = await file(bob)
  await share(bob, theirs.id, ada)
  await publish(ada)
  await env.SAVES.getByName(ada.user_id).write(writeOf('auto', 'secret'), rulesWith())
  return { ada, bob, top, inside, source, theirs }
}
