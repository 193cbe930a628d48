/** The part of EventTarget that is used. */
interface Target {
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
}

/** Whether the runtime reports that the device is offline. A runtime without `navigator.onLine` counts as online. */
export const isOffline = (): boolean => onLine() === false

/**
 * Calls back when the network or the user has come back. Returns a function that removes the listeners. Never calls in
 * runtimes without these events.
 */
export function onReturn(callback: () => void): () => void {
  const page = named('document')
  const whenVisible = () => {
    if (memberOf(page, 'visibilityState') === 'visible') callback()
  }
  const stops = [
    // A runtime without `navigator.onLine` has no `online` event.
    onLine() === undefined ? undefined : listen(globalThis, 'online', callback),
    listen(page, 'visibilitychange', whenVisible),
  ]
  return () => {
    for (const stop of stops) stop?.()
  }
}

function onLine(): boolean | undefined {
  const value = memberOf(named('navigator'), 'onLine')
  return typeof value === 'boolean' ? value : undefined
}

function listen(target: unknown, type: string, listener: () => void): (() => void) | undefined {
  if (!isTarget(target)) return undefined
  target.addEventListener(type, listener)
  return () => target.removeEventListener(type, listener)
}

/** A global of some runtimes; undefined in others. */
const named = (name: string): unknown => memberOf(globalThis, name)

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

const isTarget = (value: unknown): value is Target =>
  typeof memberOf(value, 'addEventListener') === 'function' &&
  typeof memberOf(value, 'removeEventListener') === 'function'
