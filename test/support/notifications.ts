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
