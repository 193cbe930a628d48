import type { Command } from '../model/act.ts'

const none = { times: 0, met: 0, both: 0 }

/** Which commands were done together, how often, how often to the same thing, and how often both succeeded. */
export class Table {
  readonly #names: string[]
  readonly #cells = new Map<string, { times: number; met: number; both: number }>()

  constructor(names: string[]) {
    this.#names = names
  }

  add(group: Command[], isMet: boolean, came: string[]): void {
    const [one, other] = group
    if (group.length !== 2 || !one || !other) return
    const key = cell(one.operation, other.operation)
    const { times, met, both } = this.#cells.get(key) ?? none
    const isBoth = came.every((status) => status.startsWith('2'))
    this.#cells.set(key, { times: times + 1, met: met + Number(isMet), both: both + Number(isBoth) })
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

  /** The commands that were done together with no command. */
  alone(): string[] {
    const done = [...this.#cells.keys()].flatMap((key) => key.split('+'))
    return this.#names.filter((name) => !done.includes(name))
  }

  toString(): string {
    const rows = this.#names.map((one, at) => {
      const cells = this.#names.slice(0, at + 1).map((other) => {
        const { times, met, both } = this.#cells.get(cell(other, one)) ?? none
        return `${times}/${met}/${both}`.padStart(9)
      })
      return `${String(at + 1).padStart(2)} ${one.padEnd(22)}${cells.join('')}`
    })
    const head = ' '.repeat(25) + this.#names.map((_, at) => String(at + 1).padStart(9)).join('')
    return `pairs: times done at once / to the same thing / both with success\n${head}\n${rows.join('\n')}`
  }
}

function cell(one: string, other: string): string {
  return `${one}+${other}`
}
