import { NotificationPage } from '../../src/features/notifications/schema.ts'
import { made } from './answer.ts'
import type { User } from './user.ts'

/** The data of a notification. */
export const data = { from_user_id: 7, from_display_name: 'Bob' }

/** What asks for a notification of a user. */
export const to = (user: { id: string }, different: Record<string, unknown> = {}) => ({
  user_id: user.id,
  type: 'friend_request',
  data,
  ...different,
})

/** What a user's inbox lists, which has to work. */
export const inbox = async (user: User) => made(NotificationPage, await user.get('/notifications'), 200)
