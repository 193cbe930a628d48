import type { Announcements } from '../announcements/row.ts'
import type { ListNotifications, Notification, NotificationSelection } from './schema.ts'

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

/** A notification to add to an inbox. */
export interface Publication extends Pick<Notification, 'type' | 'data'> {
  user_id: string
  /** When it expires, in Unix seconds; absent: by its age. */
  expires_at?: number | undefined
  /** The user who causes it. Nothing is added when the inbox's user has muted them. */
  sender_id?: string | undefined
}

/** The Idempotency-Key of a publication. It belongs to one publisher and one recipient. */
export interface PublicationKey {
  publisher: string
  key: string
  request_hash: string
  /** For a publication that a user causes and no service asks for. An inbox without tables is out of bounds. */
  bounds?: {
    /** The most notifications of the publisher within the life of a key. */
    at_most: number
    /**
     * The id of the resource that the notification is about. When the inbox was erased after the resource was made, nothing is
     * added.
     */
    about: string
  }
}

/** The result of a publication. */
export type Published =
  | { notification: Notification; error?: never }
  | { error: 'IDEMPOTENCY_KEY_REUSED' | 'OUT_OF_BOUNDS' | 'MUTED_BY_USER'; notification?: never }

/** The counters of an inbox at `seq`, the number of its last event. */
export interface InboxCounts {
  seq: number
  total: number
  unread: number
}

/** The state of the announcements that the caller knows. It shows an inbox whether it lacks an announcement. */
export interface Announced {
  /** Whether an inbox without tables gets them: its user exists, so notifications of shares (`bounds`) are kept from then on. */
  opens?: boolean
  /** Whether an inbox without tables takes in no announcement, because somebody else than its user reads it. */
  only_open?: boolean
  /** The version of the list of announcements. It rises with each announcement that begins or ends. */
  version: number
  /** The number of the latest announcement of the list; 0 when the list is empty. */
  latest: number
}

/** The part of the answer to a read of an inbox that says whether the inbox is in sync with the announcements. */
export interface SyncState {
  /** The inbox has to sync announcements first, and the read has to be repeated. */
  is_behind?: true
}

/** The methods of an inbox (`inbox.ts`). Its `fetch` accepts a socket. */
export interface InboxMethods extends Rpc.DurableObjectBranded {
  /** A page of notifications, newest first, and the counters. */
  list(
    query: ListNotifications,
    announced?: Announced,
  ): SyncState & InboxCounts & { notifications: Notification[] }
  /** The counters. */
  counts(announced?: Announced): SyncState & InboxCounts
  /** Adds a notification, once for each key, and sends it to all sockets. */
  publish(input: Publication, rules: InboxRules, key: PublicationKey | undefined): Published
  /**
   * Sends a notification to all sockets, and keeps nothing of it. Returns whether it was left out, because the user has muted the
   * sender.
   */
  signal(notification: Notification, sender_id?: string): boolean
  /** Replaces the copy of the users whom the user has muted, unless it has this version or a higher one. */
  setMutes(version: string, user_ids: string[]): void
  /** The copy of the users whom the user has muted, and its version; '' while there is none. */
  mutes(): { version: string; user_ids: string[] }
  /** Adds the announcements that the inbox lacks, and deletes those that have ended. */
  sync(list: Announcements, user_id: string, rules: InboxRules): void
  /** Marks the notifications with these ids as read; null: all. Returns how many were unread. */
  markRead(ids: string[] | null): number
  /** Deletes a notification; false when there is none with this id. */
  remove(id: string): boolean
  /** Deletes the selected notifications. Returns how many there were. */
  removeMany(selection: NotificationSelection): number
  /**
   * Deletes everything, once for each `erasure_id`. Closes all sockets if rows were deleted, or if `sockets` is set.
   * Returns the number of deleted rows.
   */
  erase(erasure_id: string, options?: { sockets?: boolean }): number
}
