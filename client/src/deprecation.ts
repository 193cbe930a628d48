/**
 * Logs the deprecation headers of the service (RFC 9745, RFC 8594; docs/requests.md#what-may-change-under-v1), once for each operation of a client.
 */
export class Deprecations {
  readonly #logged = new Set<string>()
  readonly #log: (message: string) => void

  constructor(log: (message: string) => void = console.warn) {
    this.#log = log
  }

  /** `operation`: the method and the path template. A filled path would put ids into the log. */
  note(operation: string, { headers }: Response): void {
    const since = headers.get('Deprecation')
    if (since === null) return
    if (this.#logged.has(operation)) return
    this.#logged.add(operation)
    const sunset = headers.get('Sunset')
    const link = headers.get('Link')
    this.#log(
      `${operation} is deprecated${dateOf(since)}.` +
        (sunset === null ? '' : ` It may stop answering at ${sunset}.`) +
        (link === null ? '' : ` See ${link}`),
    )
  }
}

/** `@1798761600` as " since 2027-01-01T…"; '' when the value has another format. */
function dateOf(since: string): string {
  const seconds = /^@(\d{1,12})$/.exec(since)?.[1]
  return seconds === undefined ? '' : ` since ${new Date(Number(seconds) * 1_000).toISOString()}`
}
