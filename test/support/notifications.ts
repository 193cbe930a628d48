import { NotificationPage } from '../../src/features/notifications/schema.ts'
import { made } from './answer.ts'
import type { User } from './user.ts'

/** The data of a notification. */
export const data = { from_user_id: 7, from_display_name: 'Bob' }

/** The body of a request that publishes a notification to a user. */
export const to = (user: { id: string }, different: Record<string, unknown> = {}) => ({
  user_id: user.id,
  type: 'friend_request',
  data,
  ...different,
})

/** Lists a user's inbox. Fails unless the answer is 200. */
export const inbox = async (user: User) => made(NotificationPage, await user.get('/notifications'), 200)

/** The body of a request that publishes a notification of a type of the game's own. */
export const gift = (user: { id: string }, different: Record<string, unknown> = {}) =>
  to(user, { type: 'shop.gift', data: { gift_id: 'golden-sword' }, ...different })

/** Publishes as a service of the studio's. */
export const publish = (publisher: User, json: unknown, key?: string) =>
  publisher.request('POST', '/notifications', { json, headers: key ? { 'Idempotency-Key': key } : {} })

/** Publishes to many users in one request. */
export const publishBatch = (publisher: User, json: unknown, key?: string) =>
  publisher.request('POST', '/notifications/batch', { json, headers: key ? { 'Idempotency-Key': key } : {} })
