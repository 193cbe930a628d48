/** The members of a value of unknown shape, like parsed JSON; none when it is no object. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** A member of a value of unknown shape; undefined when it has none of that name. */
export function member(value: unknown, name: string): unknown {
  return record(value)[name]
}

/** The texts among the items of a list of unknown shape; none when it is no list. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
