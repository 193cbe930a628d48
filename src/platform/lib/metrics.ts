/** The cost of a request so far. A batch is one trip. */
export interface Metrics {
  d1_trips: number
  /** The time of all trips together, in milliseconds. */
  d1_ms: number
  rows_read: number
  rows_written: number
  r2_calls: number
  inbox_calls: number
  saves_calls: number
  /** The region that answered the last trip, as D1 names it: `WEUR`. Undefined where the platform does not say. */
  d1_region?: string | undefined
  /** Whether the primary answered it. */
  d1_primary?: boolean | undefined
}

/** The metrics of a request that has cost nothing yet. */
export function noMetrics(): Metrics {
  return { d1_trips: 0, d1_ms: 0, rows_read: 0, rows_written: 0, r2_calls: 0, inbox_calls: 0, saves_calls: 0 }
}

/** Wraps a binding so that each call of one of its methods runs `count`. */
export function counted<Binding extends object>(binding: Binding, count: () => void): Binding {
  return new Proxy(binding, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        count()
        return Reflect.apply(member, target, args)
      }
    },
  })
}
