import { useSyncExternalStore } from 'react'

const KEY = 'console developer view'

const listeners = new Set<() => void>()
let isOn = localStorage.getItem(KEY) === 'on'

/**
 * Whether screens show what developers alone need: the requests, JSON, checksums, ids and connections. One choice for all panes,
 * kept for the next visit. Off at first.
 */
export function useDeveloperView(): boolean {
  return useSyncExternalStore(subscribe, () => isOn)
}

/** Turns the Developer view on or off, in all panes. */
export function setDeveloperView(on: boolean): void {
  isOn = on
  localStorage.setItem(KEY, on ? 'on' : 'off')
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
