import { useCallback, useSyncExternalStore } from 'react'
import { storedValue, texts } from '../json.ts'

const KEY = 'console inboxes'
const CHANNEL = 'console inboxes'
/** The most users that the browser keeps. */
const MOST = 20

const known = new Set(opened())
const listeners = new Set<() => void>()
const channel = new BroadcastChannel(CHANNEL)
channel.onmessage = ({ data }: MessageEvent<unknown>) => add(texts(data))

/**
 * Whether a user's inbox is known to exist: this browser has opened it before, or a tab of it has just published to it. To ask the
 * service would make the inbox of a user who has none (docs/files.md#notify-the-grantee).
 */
export function useHasInbox(user_id: string): boolean {
  return useSyncExternalStore(
    subscribe,
    useCallback(() => known.has(user_id), [user_id]),
  )
}

/** Notes that something was published to these users. Other tabs hear of it, and nothing is kept. */
export function notePublished(user_ids: readonly string[]): void {
  add(user_ids)
  channel.postMessage(user_ids)
}

/** Notes that a user's inbox was opened here, for the next visits. */
export function noteOpened(user_id: string): void {
  localStorage.setItem(KEY, JSON.stringify([user_id, ...others(user_id)].slice(0, MOST)))
  add([user_id])
}

/** Notes that a user's inbox is gone. */
export function noteErased(user_id: string): void {
  localStorage.setItem(KEY, JSON.stringify(others(user_id)))
  known.delete(user_id)
  for (const listener of listeners) listener()
}

function add(user_ids: readonly string[]): void {
  for (const user_id of user_ids) known.add(user_id)
  for (const listener of listeners) listener()
}

function opened(): string[] {
  return texts(storedValue(localStorage.getItem(KEY)))
}

function others(user_id: string): string[] {
  return opened().filter((other) => other !== user_id)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
