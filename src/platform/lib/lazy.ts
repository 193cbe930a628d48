/**
 * Returns a function that makes a value at its first call and keeps it. Concurrent first calls make one value each, because
 * the promise of one request may never settle for another (Workers documentation, "Errors and exceptions": code that had
 * hung).
 */
export function lazy<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: { value: Value } | undefined
  return async () => {
    made ??= { value: await make() }
    return made.value
  }
}
