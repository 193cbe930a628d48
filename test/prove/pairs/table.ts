import type { Command } from '../model/act.ts'

/** Which commands were done together, how often, and how often both did what they were to do. */
export class Table {
  readonly #names: string[]
  readonly #cells = new Map<string, { times: number; both: number }>()

  constructor(names: string[]) {
    this.#names = names
  }

  add(group: Command[], came: string[]): void {
    const [one, other] = group
    if (group.length !== 2 || !one || !other) return
    const key = cell(one.operation, other.operation)
    const { times, both } = this.#cells.get(key) ?? { times: 0, both: 0 }
    const isBoth = came.every((status) => status.startsWith('2'))
    this.#cells.set(key, { times: times + 1, both: both + Number(isBoth) })
  }

  /** The pairs that were never done. */
  missing(): string[] {
    return this.#names.flatMap((one, at) =>
      this.#names
        .slice(at)
        .map((other) => cell(one, other))
        .filter((key) => !this.#cells.has(key)),
    )
  }

  toString(): string {
    const rows = this.#names.map((one, at) => {
      const cells = this.#names.slice(0, at + 1).map((other) => {
        const { times, both } = this.#cells.get(cell(other, one)) ?? { times: 0, both: 0 }
        return `${times}/${both}`.padStart(6)
      })
      return `${String(at + 1).padStart(2)} ${one.padEnd(22)}${cells.join('')}`
    })
    const head = ' '.repeat(25) + this.#names.map((_, at) => String(at + 1).padStart(6)).join('')
    return `pairs: times done together / times both succeeded\n${head}\n${rows.join('\n')}`
  }
}

function cell(one: string, other: string): string {
  return `${one}+${other}`
}
