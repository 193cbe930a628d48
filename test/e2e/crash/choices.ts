import { seeded } from '../../support/seeded.ts'

/** Choices that are the same for the same seed. */
export class Choices {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seeded(seed)
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  pick = <Value>(values: Value[]): Value | undefined => values[this.below(values.length)]

  /** Up to `most` of the values. */
  some<Value>(values: Value[], most: number): Value[] {
    return values.filter(() => this.#random() < most / values.length).slice(0, most)
  }

  /** One of several words, some more often than others. */
  weighted(words: [word: string, weight: number][]): string {
    let left = this.#random() * words.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [word, weight] of words) {
      left -= weight
      if (left < 0) return word
    }
    return ''
  }
}
