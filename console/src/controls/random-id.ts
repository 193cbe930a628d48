/** A random id, also where the page has no `crypto.randomUUID`: at http: of another machine, which is no secure context. */
export const randomId = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')
