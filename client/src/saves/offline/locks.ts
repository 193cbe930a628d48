/** The part of Web Locks that is used. Not every runtime has them. */
interface Locks {
  request<T>(name: string, act: () => Promise<T>): Promise<T>
}
declare const navigator: { locks?: Locks } | undefined

const turns = new WeakMap<object, Map<string, Promise<void>>>()

/**
 * Runs acts of one name one after the other: in all pages and workers of an origin where there are Web Locks, elsewhere in
 * this runtime, for each `owner`.
 */
export async function exclusively<T>(owner: object, name: string, act: () => Promise<T>): Promise<T> {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  if (locks) return locks.request(name, act)
  const named = turns.get(owner) ?? new Map<string, Promise<void>>()
  turns.set(owner, named)
  const turn = (named.get(name) ?? Promise.resolve()).then(act)
  named.set(name, turn.then(nothing, nothing))
  return turn
}

const nothing = () => {}
