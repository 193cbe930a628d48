import { env, runInDurableObject } from 'cloudflare:test'
import { data } from '../../test/support/notifications.ts'
import { operator, signUp } from '../../test/support/user.ts'

/** How many notifications an inbox is filled with, to measure their size. */
const NOTIFICATIONS = 200

/**
 * The bytes that an inbox takes: one with a single notification, and what each notification adds with its key and its events, rounded up to
 * 250, because random ids fill pages differently each time.
 */
export async function bytesOfInbox(): Promise<Record<string, number>> {
  const ada = await signUp('ada')
  const social = await operator('notifications:publish')
  const size = () =>
    runInDurableObject(env.INBOX.getByName(ada.id), (_, { storage }) => storage.sql.databaseSize)
  const publish = () =>
    social.request('POST', '/notifications', {
      json: { user_id: ada.id, type: 'friend_request', data },
      headers: { 'Idempotency-Key': crypto.randomUUID() },
    })
  await publish() // the tables are made with the first
  const inbox = await size()
  for (let i = 0; i < NOTIFICATIONS; i++) await publish()
  return { inbox, notification: Math.ceil(((await size()) - inbox) / NOTIFICATIONS / 250) * 250 }
}
