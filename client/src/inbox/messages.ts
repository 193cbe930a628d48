import type { Notification } from '../records.ts'

/** The members of a notification by which an inbox is kept up to date. */
export type Item = Pick<Notification, 'id' | 'state'>

/** A page of notifications, with the seq of the inbox when it was read. */
export interface InboxPage<One extends Item> {
  /** Newest first. */
  notifications: One[]
  /** Of the whole inbox. */
  total: number
  /** Of the whole inbox. */
  unread: number
  seq: number
}

interface Numbered {
  /** Numbers the changes to an inbox, without gaps. */
  seq: number
  /** How many notifications are unread at that seq. */
  unread: number
}

/** The first message of a socket. */
export interface ReadyMessage extends Numbered {
  type: 'ready'
  /** `recovered`: every event after the socket's `after` follows. Otherwise events are missing, and the list is read again. */
  data: { recovered: boolean }
}

/** A change to the inbox. /asyncapi.json describes the messages of the socket. */
export type InboxEvent<One extends Item> =
  | (Numbered & { type: 'notification'; data: One })
  | (Numbered & { type: 'notifications_read'; data: { notification_ids: string[] | null } })
  | (Numbered & { type: 'notification_deleted'; data: { notification_id: string } })
  | (Numbered & { type: 'notifications_deleted'; data: { notification_ids: string[] | null } })

/** A change that a later version of the service may add, or whose data can't be read. The list is read again. */
export type UnknownEvent = Numbered & { type: 'unknown' }

/** A notification that nothing keeps. The message is no change to the inbox. */
interface Signal<One extends Item> {
  type: 'signal'
  data: One
}

/** A message without a seq that a later version of the service may add. It is ignored. */
interface UnknownMessage {
  type: 'unnumbered'
}

export type InboxMessage<One extends Item> =
  | ReadyMessage
  | InboxEvent<One>
  | UnknownEvent
  | Signal<One>
  | UnknownMessage

/** Parses a message of the socket; undefined when the text is no valid message. */
export function parseMessage<One extends Item>(text: unknown): InboxMessage<One> | undefined {
  const value = typeof text === 'string' ? parsed(text) : undefined
  if (!isRecord(value)) return undefined
  const { type, seq, unread, data } = value
  if (typeof type !== 'string') return undefined
  if (type === 'signal') return hasId<One>(data) ? { type, data } : undefined
  if (seq === undefined) return { type: 'unnumbered' }
  if (!isCount(seq) || !isCount(unread)) return undefined
  const numbers = { seq, unread }
  if (type === 'ready')
    return isRecord(data) && typeof data.recovered === 'boolean'
      ? { type, ...numbers, data: { recovered: data.recovered } }
      : undefined
  if (type === 'notification' && hasId<One>(data)) return { type, ...numbers, data }
  if ((type === 'notifications_read' || type === 'notifications_deleted') && hasIds(data))
    return { type, ...numbers, data }
  if (type === 'notification_deleted' && isDeleted(data)) return { type, ...numbers, data }
  return { type: 'unknown', ...numbers }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Whether a value is an item of the service. Its other members are as the service and the studio describe them. */
export const hasId = <One extends { id: string }>(value: unknown): value is One =>
  isRecord(value) && typeof value.id === 'string'

const hasIds = (value: unknown): value is { notification_ids: string[] | null } =>
  isRecord(value) &&
  (value.notification_ids === null ||
    (Array.isArray(value.notification_ids) && value.notification_ids.every((id) => typeof id === 'string')))

const isDeleted = (value: unknown): value is { notification_id: string } =>
  isRecord(value) && typeof value.notification_id === 'string'
