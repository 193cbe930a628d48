import type { ListNotifications, Notification, PublishNotification } from './schema.ts'

/**
 * The calls between the Worker and a user's inbox. This file has only types, so that callers don't load the inbox's class.
 */

declare module '../../platform/config/env.ts' {
  interface Env {
    INBOX: DurableObjectNamespace<InboxMethods>
  }
}

/** The time and the settings for a publication, because an inbox reads no configuration. */
export interface InboxRules {
  /** Unix seconds. */
  now: number
  retention_days: number
  max_notifications: number
  /** Whether `notification.undelivered` is wanted (docs/events.md). */
  reports_undelivered?: boolean
}

/** The Idempotency-Key of a publication. It belongs to one publisher and one recipient. */
export interface PublicationKey {
  publisher: string
  key: string
  request_hash: string
}

/** The result of a publication. */
export type Published =
  | { notification: Notification; error?: never }
  | { error: 'IDEMPOTENCY_KEY_REUSED'; notification?: never }

/** The counters of an inbox at `seq`, the number of its last event. */
export interface InboxCounts {
  seq: number
  total: number
  unread: number
}

/** The methods of an inbox (`inbox.ts`). Its `fetch` accepts a socket. */
export interface InboxMethods extends Rpc.DurableObjectBranded {
  /** A page of notifications, newest first, and the counters. */
  list(query: ListNotifications): { notifications: Notification[] } & InboxCounts
  /** The counters. */
  counts(): InboxCounts
  /** Adds a notification, once for each key, and sends it to all sockets. */
  publish(input: PublishNotification, rules: InboxRules, key: PublicationKey | undefined): Published
  /** Marks the notifications with these ids as read; null: all. Returns how many were unread. */
  markRead(ids: string[] | null): number
  /** Deletes a notification; false when there is none with this id. */
  remove(id: string): boolean
  /**
   * Deletes everything, once for each erasure's `mark`. Closes all sockets if rows were deleted, or if `sockets` is set.
   * Returns the number of deleted rows.
   */
  erase(mark: string, options?: { sockets?: boolean }): number
}
