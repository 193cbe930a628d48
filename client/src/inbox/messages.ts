import type { components } from '../schema.d.ts'

export type Notification = components['schemas']['Notification']

/** A page of notifications, with the seq of the inbox when it was read. */
export interface InboxPage {
  /** Newest first. */
  notifications: Notification[]
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
export type InboxEvent =
  | (Numbered & { type: 'notification'; data: Notification })
  | (Numbered & { type: 'notifications_read'; data: { notification_ids: string[] | null } })
  | (Numbered & { type: 'notification_deleted'; data: { notification_id: string } })

/** An event type that a later version of the service may add. Only its seq and unread count are used. */
export type UnknownEvent = Numbered & { type: 'unknown' }

export type InboxMessage = ReadyMessage | InboxEvent | UnknownEvent

/** Parses a message of the socket; undefined when the text is no valid message. */
export function parseMessage(text: unknown): InboxMessage | undefined {
  const value = typeof text === 'string' ? parsed(text) : undefined
  if (!isRecord(value)) return undefined
  const { type, seq, unread, data } = value
  if (typeof type !== 'string' || !isCount(seq) || !isCount(unread)) return undefined
  const numbers = { seq, unread }
  if (type === 'ready')
    return isRecord(data) && typeof data.recovered === 'boolean'
      ? { type, ...numbers, data: { recovered: data.recovered } }
      : undefined
  if (type === 'notification') return isNotification(data) ? { type, ...numbers, data } : undefined
  if (type === 'notifications_read') return isRead(data) ? { type, ...numbers, data } : undefined
  if (type === 'notification_deleted') return isDeleted(data) ? { type, ...numbers, data } : undefined
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

/** Checks only the fields that this client uses. */
const isNotification = (value: unknown): value is Notification =>
  isRecord(value) && typeof value.id === 'string' && (value.state === 'unread' || value.state === 'read')

const isRead = (value: unknown): value is { notification_ids: string[] | null } =>
  isRecord(value) &&
  (value.notification_ids === null ||
    (Array.isArray(value.notification_ids) && value.notification_ids.every((id) => typeof id === 'string')))

const isDeleted = (value: unknown): value is { notification_id: string } =>
  isRecord(value) && typeof value.notification_id === 'string'
