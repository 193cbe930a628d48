import { z } from '@hono/zod-openapi'
import { type Act, keyed, type Party, required, requireMembers } from './act.ts'
import { Notification } from './records.ts'

const Marked = z.object({ marked_count: z.int() })

/** Somebody who also publishes to their own inbox, with the token of a service that may. */
export interface Publisher extends Party {
  /** A token with the scopes that publishing and erasing take. */
  readonly operatorToken: string
}

export function publish({ ledger, wire, word, operatorToken }: Publisher): Act {
  const data = { from_user_id: ledger.inbox.length, from_display_name: word() }
  const json = { user_id: wire.user, type: 'friend_request', data }
  return {
    kind: 'publish',
    request: {
      intent: `publish from "${data.from_display_name}"`,
      about: [data.from_display_name],
      method: 'POST',
      path: '/notifications',
      json,
      headers: { ...keyed(data.from_display_name), Authorization: `Bearer ${operatorToken}` },
    },
    settle(answer, attempt) {
      required(answer, 201, attempt)
      const notification = Notification.parse(answer.body)
      requireMembers(notification, { type: json.type, state: 'unread' })
      ledger.inbox.unshift(notification)
    },
  }
}

/** Marks some notifications as read, or, without any, all. */
export function markRead({ ledger }: Party, notification_ids: string[]): Act {
  const isMeant = ({ id }: Notification) => notification_ids.length === 0 || notification_ids.includes(id)
  return {
    kind: 'read',
    request: {
      intent: `read ${notification_ids.join(', ') || 'all'}`,
      about: notification_ids,
      method: 'POST',
      path: '/notifications/read',
      json: { notification_ids },
    },
    settle(answer, attempt) {
      required(answer, 200, attempt)
      const { marked_count } = Marked.parse(answer.body)
      const unread = ledger.inbox.filter((one) => isMeant(one) && one.state === 'unread').length
      if (marked_count !== unread && !(attempt === 'again' && marked_count === 0))
        throw new Error(`${marked_count} marked of ${unread} that were unread`)
      ledger.inbox = ledger.inbox.map((one) => (isMeant(one) ? { ...one, state: 'read' } : one))
    },
  }
}

export function deleteNotification({ ledger }: Party, { id }: Notification): Act {
  return {
    kind: 'delete a notification',
    request: {
      intent: `delete notification ${id}`,
      about: [id],
      method: 'DELETE',
      path: `/notifications/${id}`,
    },
    settle(answer, attempt) {
      required(answer, 204, attempt, 'NOTIFICATION_NOT_FOUND')
      ledger.inbox = ledger.inbox.filter((one) => one.id !== id)
    },
  }
}
