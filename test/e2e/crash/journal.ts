/** A request as its client wrote it down: before it went out, and what came of it. */
export interface Line {
  number: number
  round: number
  user: string
  intent: string
  /** The status and code of the answer; `sent` while there is none, `cut off` when there will be none. */
  outcome: string
}

/** What the clients know, and a crash of the server does not touch: who asked for what, and which answers came. */
export class Journal {
  readonly lines: Line[] = []
  round = 0
  #waiting: { lines: number; resolve: () => void }[] = []

  /** Writes down a request before it goes out. */
  intend(user: string, intent: string): Line {
    const { round, lines } = this
    const line = { number: lines.length + 1, round, user, intent, outcome: 'sent' }
    lines.push(line)
    for (const waiting of this.#waiting.splice(0)) this.#wake(waiting)
    return line
  }

  /** Waits until so many lines have been written. */
  reaches(lines: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake({ lines, resolve })
    return promise
  }

  #wake(waiting: { lines: number; resolve: () => void }): void {
    if (this.lines.length >= waiting.lines) waiting.resolve()
    else this.#waiting.push(waiting)
  }

  /** How many requests came to what. */
  count(outcome: (outcome: string) => boolean): number {
    return this.lines.filter((line) => outcome(line.outcome)).length
  }

  /** The last lines that are about something, or of a user, for whoever has to find out what went wrong. */
  tail(of: string, most = 12): string {
    const lines = this.lines.filter(({ user, intent }) => user === of || intent.includes(of))
    return lines.slice(-most).map(written).join('\n')
  }
}

function written({ number, round, user, intent, outcome }: Line): string {
  return `  #${number} round ${round} ${user}: ${intent} → ${outcome}`
}
