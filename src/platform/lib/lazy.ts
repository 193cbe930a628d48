/**
 * What is made when it is first needed, and then kept. Requests that need it at the same time make one each: the promise
 * of one request may never settle for another (Workers documentation, "Errors and exceptions": code that had hung).
 */
export function lazy<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: { value: Value } | undefined
  return async () => {
    made ??= { value: await make() }
    return made.value
  }
}
