import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import {
  type Act,
  agrees,
  type Command,
  codeOf,
  commandOn,
  type Draw,
  drawKey,
  keptFor,
  keyHeader,
  member,
  newIdIn,
  type Requests,
  refused,
} from './act.ts'
import { aPlayer, aTarget, type Target } from './choose.ts'
import { addNotice, makeRoom, removeNotice, shownNotice, tell } from './inbox.ts'
import { hasMuted } from './mutes.ts'
import { bornAt, inboxOf, type Notice, now, unreadIn, type World } from './state.ts'
import { isKnown, look, tells } from './taking-in.ts'

const DAY = 86_400

const REGIONS = ['weur', 'oc', 'sam']

/** A message to one user, or to many. */
interface Message {
  type: string
  data: object
  expires_in?: number
  persistent?: false
  sender_id?: string
  region?: string
}

interface Publication extends Message {
  user_id: string
}

function drawMessage(world: World, draw: Draw): Message {
  const [type, number, kind, sender_id] = [
    draw.one('friend_request', 'friend_accepted', 'shop.gift', 'shop.gift'),
    draw.below(3),
    draw.below(12),
    draw.chance(40) ? aPlayer(world, draw) : undefined,
  ]
  const data =
    type === 'shop.gift' ? { gift: number } : { from_user_id: number, from_display_name: `Bob ${number}` }
  const expires_in = [60, 3_600, 90_000, 6 * DAY][kind]
  const region = [...REGIONS, 'eu'][draw.below(20)]
  return {
    type,
    data,
    ...(expires_in !== undefined && { expires_in }),
    ...(kind === 4 && { persistent: false }),
    ...(sender_id !== undefined && { sender_id }),
    ...(region !== undefined && { region }),
  }
}

export const publishNotification: Command = {
  operation: 'publishNotification',
  writes: true,
  draw: (world, draw) => {
    const json = { user_id: aPlayer(world, draw), ...drawMessage(world, draw) }
    return publishes(world.operator, json, drawKey(draw))
  },
}

export function publishes(publisher: string, json: Publication, key?: string): Act<Requests> {
  return {
    key,
    says: `${publisher} publishes ${JSON.stringify(json)} (${key})`,
    send: (service) =>
      service.request(publisher, 'POST', '/notifications', {
        json,
        headers: keyHeader(key),
      }),
    judge: (world, answer) => {
      if (isInvalid(world, json)) return refused(answer, 'VALIDATION_FAILED')
      const newId = () => newIdIn(world, member(answer, 'id'))
      const outcome = publish(world, publisher, json, key, newId, codeOf(answer))
      if (typeof outcome === 'string') refused(answer, outcome)
      else agrees(answer, 201, outcome)
    },
  }
}

function isInvalid({ limits }: World, { expires_in = 0, region }: Message): boolean {
  const isRegion = region === undefined || REGIONS.includes(region)
  return expires_in > limits.NOTIFICATION_RETENTION_DAYS * DAY || !isRegion
}

/**
 * The notification of a publication, which a key may have made before, or the code that refuses it. `told` is the code of the answer,
 * which decides about a mute that may be there or not.
 */
function publish(
  world: World,
  publisher: string,
  publication: Publication,
  key: string | undefined,
  newId: () => string,
  told: string | undefined,
): Record<string, unknown> | 'IDEMPOTENCY_KEY_REUSED' | 'MUTED_BY_USER' {
  // A key belongs to all of a publication except its region.
  const { region: _, ...stored } = publication
  const { user_id, type, data, expires_in, persistent, sender_id } = stored
  const isMuted = sender_id !== undefined && (hasMuted(world, user_id, sender_id) ?? told === 'MUTED_BY_USER')
  const [caller, request] = [`${publisher} for ${user_id}`, JSON.stringify(stored)]
  const inbox = inboxOf(world, user_id)
  if (persistent === false) {
    if (isMuted) return 'MUTED_BY_USER'
    const notification = { id: newId(), type, data, state: 'unread', created_at: now(world) }
    inbox.signals.push({ type: 'signal', data: notification })
    return notification
  }
  const kept = keptFor(world, caller, key)
  if (kept) return kept.request === request ? JSON.parse(kept.made) : 'IDEMPOTENCY_KEY_REUSED'
  if (isMuted) return 'MUTED_BY_USER'
  const expires_at = expires_in === undefined ? undefined : now(world) + expires_in
  const notice: Notice = { id: newId(), type, data, state: 'unread', created_at: now(world), expires_at }
  addNotice(world, inbox, notice)
  makeRoom(world, inbox)
  const made = JSON.stringify(shownNotice(notice))
  if (key !== undefined) world.keys.set(`${caller} ${key}`, { request, made, at: bornAt(world, caller) })
  return JSON.parse(made)
}

export const publishNotifications: Command = {
  operation: 'publishNotifications',
  writes: true,
  // Each inbox has an order of its own.
  alone: true,
  draw: (world, draw) => {
    const [first, count] = [draw.below(world.players.length), 1 + draw.below(world.players.length)]
    const turned = [...world.players.slice(first), ...world.players.slice(0, first)]
    return publishesToMany(world.operator, turned.slice(0, count), drawMessage(world, draw), drawKey(draw))
  },
}

const Results = z.object({
  results: z.array(z.object({ notification_id: z.string().optional(), code: z.string().optional() })),
})

function publishesToMany(
  publisher: string,
  user_ids: string[],
  message: Message,
  key?: string,
): Act<Requests> {
  const json = { user_ids, ...message }
  return {
    key,
    says: `${publisher} publishes ${JSON.stringify(json)} (${key})`,
    send: (service) =>
      service.request(publisher, 'POST', '/notifications/batch', { json, headers: keyHeader(key) }),
    judge: (world, answer) => {
      if (isInvalid(world, message)) return refused(answer, 'VALIDATION_FAILED')
      const told = Results.safeParse(answer.body).data?.results
      const results = user_ids.map((user_id, index) => {
        const newId = () => newIdIn(world, told?.[index]?.notification_id)
        const made = publish(world, publisher, { user_id, ...message }, key, newId, told?.[index]?.code)
        return typeof made === 'string' ? { user_id, code: made } : { user_id, notification_id: made.id }
      })
      agrees(answer, 200, { results })
    },
  }
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
    notices.filter(isKnown).map(({ id }) => ({ id, owner_id })),
  )
  return aTarget(all, all, world, draw)
}

export const deleteNotification = commandOn('deleteNotification', true, aNotice, deletesNotification)

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

export const deleteNotifications: Command = {
  operation: 'deleteNotifications',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = aNotice(world, draw)
    const other = aNotice(world, draw).id
    const some = draw.one([id], [other, id, id], [])
    return deletesMany(user, draw.one({ notification_ids: some }, { state: 'read' }, { all: true }))
  },
}

type Selection = { notification_ids: string[] } | { state: 'read' } | { all: true }

export function deletesMany(user: string, json: Selection): Act<Requests> {
  return {
    says: `${user} deletes notifications ${JSON.stringify(json)}`,
    send: (service) => service.request(user, 'POST', '/notifications/delete', { json }),
    judge: (world, answer) => {
      const inbox = inboxOf(world, user)
      const isSelected = ({ id, state }: Notice) =>
        'all' in json || ('state' in json ? state === 'read' : json.notification_ids.includes(id))
      const deleted = inbox.notices.filter(isSelected)
      inbox.notices = inbox.notices.filter((notice) => !isSelected(notice))
      const notification_ids = 'all' in json ? null : deleted.map(({ id }) => id)
      if (deleted.length > 0) tell(inbox, 'notifications_deleted', { notification_ids })
      agrees(answer, 200, { deleted_count: deleted.length })
    },
  }
}

export const listNotifications: Command = {
  operation: 'listNotifications',
  writes: false,
  draw: (world, draw) => {
    const [user, limit, offset] = [aPlayer(world, draw), draw.one(100, 1, 2), draw.one(0, 0, 1, 3)]
    const state = draw.one(undefined, undefined, 'unread' as const, 'read' as const)
    const type = draw.one(undefined, undefined, 'shop.gift', 'friend_request', 'studio.event')
    return listsNotifications(user, limit, offset, { ...(state && { state }), ...(type && { type }) })
  },
}

export function listsNotifications(
  user: string,
  limit: number,
  offset: number,
  wanted: Partial<Pick<Notice, 'state' | 'type'>> = {},
): Act<Requests> {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset), ...wanted })
  return {
    says: `${user} lists notifications ${query}`,
    send: (service) => service.request(user, 'GET', `/notifications?${query}`),
    judge: (world, answer) => {
      const passOn = look(world, user)
      tells(world, user, answer, 200, (inbox) => {
        const { state, type } = wanted
        const fitting = inbox.notices.filter(
          (notice) => (state ?? notice.state) === notice.state && (type ?? notice.type) === notice.type,
        )
        const notifications = fitting.toReversed().slice(offset, offset + limit)
        const [total, unread] = [inbox.notices.length, unreadIn(inbox)]
        return { notifications: notifications.map(shownNotice), total, unread }
      })
      expect(answer.headers.get('X-Inbox-Seq')).toBe(String(inboxOf(world, user).seq))
      passOn()
    },
  }
}

export const countUnread: Command = {
  operation: 'countUnread',
  writes: false,
  draw: (world, draw) => countsUnread(aPlayer(world, draw)),
}

function countsUnread(user: string): Act<Requests> {
  return {
    says: `${user} counts unread notifications`,
    send: (service) => service.request(user, 'GET', '/notifications/unread-count'),
    judge: (world, answer) => {
      const passOn = look(world, user)
      const inbox = inboxOf(world, user)
      agrees(answer, 200, { count: unreadIn(inbox) })
      expect(answer.headers.get('X-Inbox-Seq')).toBe(String(inbox.seq))
      passOn()
    },
  }
}
