/**
 * Logs what the service announces about a request that it will stop answering: once for each operation of a client. The
 * headers are those of docs/compatibility.md (RFC 9745, RFC 8594).
 */
export class Deprecations {
  readonly #logged = new Set<string>()
  readonly #log: (message: string) => void

  constructor(log: (message: string) => void = console.warn) {
    this.#log = log
  }

  /** `operation`: the method, and the path as the description has it. A filled path would name users. */
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

/** `@1798761600` in words; nothing for what is no such date. */
function dateOf(since: string): string {
  const seconds = /^@(\d{1,12})$/.exec(since)?.[1]
  return seconds === undefined ? '' : ` since ${new Date(Number(seconds) * 1_000).toISOString()}`
}
