import { expect } from 'vitest'
import {
  type Act,
  agrees,
  type Command,
  creates,
  type Draw,
  drawKey,
  keyHeader,
  member,
  newIdIn,
  type Requests,
  refused,
} from './act.ts'
import { aPlayer, aTarget, type Target } from './choose.ts'
import { type Inbox, inboxOf, type Notice, now, unreadIn, type World } from './state.ts'

/** A change to an inbox, with its next seq. */
function tell(inbox: Inbox, type: string, data: unknown): void {
  inbox.seq++
  inbox.events.push({ type, seq: inbox.seq, unread: unreadIn(inbox), data })
}

export function removeNotice(inbox: Inbox, notice: Notice): void {
  inbox.notices = inbox.notices.filter(({ id }) => id !== notice.id)
  tell(inbox, 'notification_deleted', { notification_id: notice.id })
}

interface Publication {
  user_id: string
  type: string
  data: { from_user_id: number; from_display_name: string }
}

export const publishNotification: Command = {
  operation: 'publishNotification',
  writes: true,
  draw: (world, draw) => {
    const user_id = aPlayer(world, draw)
    const type = draw.one('friend_request', 'friend_accepted')
    const [number, key] = [draw.below(3), drawKey(draw)]
    const data = { from_user_id: number, from_display_name: `Bob ${number}` }
    const json = { user_id, type, data }
    return publishes(world.operator, json, key)
  },
}

export function publishes(publisher: string, json: Publication, key?: string): Act<Requests> {
  const { user_id, type, data } = json
  return {
    key,
    says: `${publisher} publishes ${JSON.stringify(json)} (${key})`,
    send: (service) =>
      service.request(publisher, 'POST', '/notifications', {
        json,
        headers: keyHeader(key),
      }),
    judge: (world, answer) =>
      creates(world, answer, {
        caller: `${publisher} for ${user_id}`,
        key,
        request: json,
        again: (made) => agrees(answer, 201, JSON.parse(made)),
        make: () => {
          const inbox = inboxOf(world, user_id)
          const id = newIdIn(world, member(answer, 'id'))
          const notice: Notice = { id, type, data, state: 'unread', created_at: now(world) }
          agrees(answer, 201, notice)
          inbox.notices.push(notice)
          tell(inbox, 'notification', { ...notice })
          makeRoom(world, inbox)
          return JSON.stringify(notice)
        },
      }),
  }
}

/** The oldest go when there are more than may be. */
function makeRoom({ limits }: World, inbox: Inbox): void {
  const [oldest] = inbox.notices
  if (!oldest || inbox.notices.length <= limits.MAX_NOTIFICATIONS) return
  removeNotice(inbox, oldest)
}

export const markNotificationsRead: Command = {
  operation: 'markNotificationsRead',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = aNotice(world, draw)
    const kind = draw.below(4)
    const notification_ids = kind === 0 ? undefined : kind === 1 ? [] : [id]
    return marksRead(user, notification_ids)
  },
}

export function marksRead(user: string, notification_ids: string[] | undefined): Act<Requests> {
  return {
    says: `${user} reads notifications ${notification_ids}`,
    send: (service) => service.request(user, 'POST', '/notifications/read', { json: { notification_ids } }),
    judge: (world, answer) => {
      const inbox = inboxOf(world, user)
      const isAll = notification_ids === undefined || notification_ids.length === 0
      const marked = inbox.notices.filter(
        ({ id, state }) => state === 'unread' && (isAll || notification_ids.includes(id)),
      )
      for (const notice of marked) notice.state = 'read'
      if (marked.length > 0)
        tell(inbox, 'notifications_read', { notification_ids: isAll ? null : marked.map(({ id }) => id) })
      agrees(answer, 200, { marked_count: marked.length })
    },
  }
}

/** Somebody, and mostly a notification of theirs. */
function aNotice(world: World, draw: Draw): Target {
  const all = [...world.inboxes].flatMap(([owner_id, { notices }]) =>
    notices.map(({ id }) => ({ id, owner_id })),
  )
  return aTarget(all, all, world, draw)
}

export const deleteNotification: Command = {
  operation: 'deleteNotification',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = aNotice(world, draw)
    return deletesNotification(user, id)
  },
}

export function deletesNotification(user: string, id: string): Act<Requests> {
  return {
    says: `${user} deletes notification ${id}`,
    send: (service) => service.request(user, 'DELETE', `/notifications/${id}`),
    judge: (world, answer) => {
      const inbox = inboxOf(world, user)
      const notice = inbox.notices.find((notice) => notice.id === id)
      if (!notice) return refused(answer, 'NOTIFICATION_NOT_FOUND')
      removeNotice(inbox, notice)
      agrees(answer, 204)
    },
  }
}

export const listNotifications: Command = {
  operation: 'listNotifications',
  writes: false,
  draw: (world, draw) => listsNotifications(aPlayer(world, draw), draw.one(100, 1, 2), draw.one(0, 1, 3)),
}

export function listsNotifications(user: string, limit: number, offset: number): Act<Requests> {
  return {
    says: `${user} lists notifications`,
    send: (service) => service.request(user, 'GET', `/notifications?limit=${limit}&offset=${offset}`),
    judge: (world, answer) => {
      const inbox = inboxOf(world, user)
      const notifications = inbox.notices.toReversed().slice(offset, offset + limit)
      const [total, unread] = [inbox.notices.length, unreadIn(inbox)]
      agrees(answer, 200, { notifications, total, unread })
      expect(answer.headers.get('X-Inbox-Seq')).toBe(String(inbox.seq))
    },
  }
}

export const countUnread: Command = {
  operation: 'countUnread',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    return {
      says: `${user} counts unread notifications`,
      send: (service) => service.request(user, 'GET', '/notifications/unread-count'),
      judge: (world, answer) => {
        const inbox = inboxOf(world, user)
        agrees(answer, 200, { count: unreadIn(inbox) })
        expect(answer.headers.get('X-Inbox-Seq')).toBe(String(inbox.seq))
      },
    }
  },
}
