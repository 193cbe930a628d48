import { seeded } from '../../support/seeded.ts'

/** Every choice of a round comes from here, so that the same seed makes the same choices. */
export class Dice {
  readonly #roll: () => number

  constructor(seed: number) {
    this.#roll = seeded(seed)
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.#roll() * limit)
  }

  chance(probability: number): boolean {
    return this.#roll() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = this.maybe(items)
    if (item === undefined) throw new Error('there is nothing to pick from')
    return item
  }

  /** One of the items; undefined when there is none. */
  maybe<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)]
  }

  /** One of the items, each as likely as its weight says. */
  weighted<Item>(items: readonly Item[], weightOf: (item: Item) => number): Item {
    let left = this.#roll() * items.reduce((sum, item) => sum + weightOf(item), 0)
    for (const item of items) {
      left -= weightOf(item)
      if (left < 0) return item
    }
    return this.pick(items)
  }

  /** A word that stands nowhere else: wherever it is seen, it is known what it comes from. */
  marker(): string {
    return markerOf(this.below(2 ** 32))
  }
}

/** See `Dice.marker`. */
export function markerOf(number: number): string {
  return `zq${number.toString(16).padStart(8, '0')}qz`
}
