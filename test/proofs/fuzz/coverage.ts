import type { Exchange } from './learn.ts'
import type { Operation } from './operations.ts'

interface Tally {
  succeeded: number
  refused: number
  codes: Map<string, number>
}

/**
 * What succeeds only after three other acts in a row, by the right people: a long run comes to it by chance, a short one need not. The model
 * does each of them (test/proofs/model).
 */
const AFTER_OTHERS = ['answerAppeal', 'getCaseContent', 'deleteVersion', 'deleteVariant']

/** Counts of what a run has met. */
export class Coverage {
  requests = 0
  events = 0
  unsendable = 0
  /** Requests sent once more, with an id that nothing has in place of another user's. */
  twins = 0
  readonly #statuses = new Map<string, number>()
  readonly #operations: Map<string, Tally>
  readonly #described: Operation[]

  constructor(described: Operation[]) {
    this.#described = described
    this.#operations = new Map(
      described.map(({ id }) => [id, { succeeded: 0, refused: 0, codes: new Map() }]),
    )
  }

  count({ operation, answer }: Exchange): void {
    this.requests++
    const group = `${Math.floor(answer.status / 100)}xx`
    this.#statuses.set(group, (this.#statuses.get(group) ?? 0) + 1)
    const tally = this.#operations.get(operation?.id ?? '')
    if (!tally) return
    if (answer.status < 300) tally.succeeded++
    else tally.refused++
    const code = codeOf(answer.body)
    if (code !== undefined) tally.codes.set(code, (tally.codes.get(code) ?? 0) + 1)
  }

  /** The operations that never succeeded, and those that were never refused. */
  get untouched(): string[] {
    return [...this.#operations].flatMap(([id, { succeeded, refused }]) => [
      ...(succeeded === 0 && !AFTER_OTHERS.includes(id) ? [`${id} never succeeded`] : []),
      ...(refused === 0 ? [`${id} was never refused`] : []),
    ])
  }

  /** The figures of the run, in lines. */
  report(): string {
    const statuses = [...this.#statuses].sort().map(([group, count]) => `${count} ${group}`)
    const lines = this.#described.map(({ id, codes }) => {
      const tally = this.#operations.get(id)
      const met = [...(tally?.codes ?? [])].sort().map(([code, count]) => `${code} ${count}`)
      const missing = codes.filter((code) => !unreachable.includes(code) && !tally?.codes.has(code))
      const never = missing.length > 0 ? `; never: ${missing.join(', ')}` : ''
      return `  ${id}: ${tally?.succeeded} ok, ${tally?.refused} refused (${met.join(', ')})${never}`
    })
    const expected = this.#described.flatMap(({ codes }) =>
      codes.filter((code) => !unreachable.includes(code)),
    )
    const met = this.#described.flatMap(({ id, codes }) =>
      codes.filter((code) => this.#operations.get(id)?.codes.has(code)),
    )
    return [
      `${this.requests} requests (${statuses.join(', ')}), ${this.twins} of them twins; ${this.events} events; ${this.unsendable} that no client can send`,
      ...lines,
      `${met.length} of ${expected.length} pairs of an operation and a code that it declares were met`,
    ].join('\n')
  }
}

/** These mean that something is out of order, which is what the faults are for. */
const unreachable = ['INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED']

/** The code of a problem document. */
export function codeOf(body: unknown): string | undefined {
  const isProblem =
    typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string'
  return isProblem ? String(body.code) : undefined
}
