import { useSyncExternalStore } from 'react'

/** The first wait before the service is asked again; each next one is longer, up to the last. */
const FIRST_WAIT_MS = 1_000
const LAST_WAIT_MS = 15_000

/** A service that fails again within this time is asked no sooner than before: some of its answers may get lost, and others not. */
const STEADY_MS = 60_000

/** After this time without an answer an attempt to reach the service has failed. */
const ATTEMPT_MS = 10_000

const changed = new Set<() => void>()
const returned = new Set<() => void>()

let isReachable = true
let wait_ms = FIRST_WAIT_MS
let returned_at = 0
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Notes that a request to the service had no answer. The service is then asked until it answers, at once when the browser says
 * that it is online again.
 */
export function noteUnreached(): void {
  if (!isReachable) return
  set(false)
  if (Date.now() - returned_at > STEADY_MS) wait_ms = FIRST_WAIT_MS
  addEventListener('online', tryNow)
  waitAndTry()
}

/** Asks the service now, instead of after the wait that is under way. */
export function tryNow(): void {
  clearTimeout(timer)
  void attempt()
}

/** Calls a function each time that the service answers again. Returns a function that stops this. */
export function onReturn(listener: () => void): () => void {
  returned.add(listener)
  return () => returned.delete(listener)
}

/** Whether the service answers, as far as is known. */
export function useReachable(): boolean {
  return useSyncExternalStore(subscribe, () => isReachable)
}

function subscribe(listener: () => void): () => void {
  changed.add(listener)
  return () => changed.delete(listener)
}

function set(is: boolean): void {
  isReachable = is
  for (const listener of changed) listener()
}

function waitAndTry(): void {
  timer = setTimeout(() => void attempt(), wait_ms)
  wait_ms = Math.min(wait_ms * 2, LAST_WAIT_MS)
}

async function attempt(): Promise<void> {
  const answers = await fetch('/healthz', { signal: AbortSignal.timeout(ATTEMPT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )
  if (isReachable) return // another attempt was quicker
  if (!answers) return waitAndTry()
  removeEventListener('online', tryNow)
  returned_at = Date.now()
  set(true)
  for (const listener of returned) listener()
}
