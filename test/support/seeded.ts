/** The numbers drawn from one seed: how many, and a digest of them in order. */
interface Drawn {
  seed: number
  count: number
  digest: number
}

let drawn: Drawn[] = []

/** Pseudo-random numbers from a seed (mulberry32). Each one is recorded for `printDrawn`. */
export function seeded(seed: number): () => number {
  const next = mulberry(seed)
  const note = noted(seed)
  return () => {
    const number = next()
    note(Math.floor(number * 2 ** 32))
    return number
  }
}

/** Records the numbers that a library drew from a seed. */
export function noteDrawn(seed: number, name: string): void {
  const note = noted(seed)
  for (const letter of name) note(letter.codePointAt(0) ?? 0)
}

/** Begins to record the numbers drawn from a seed. */
function noted(seed: number): (number: number) => void {
  const note: Drawn = { seed, count: 0, digest: 0x811c9dc5 }
  drawn.push(note)
  return (number) => {
    note.count++
    note.digest = Math.imul(note.digest ^ number, 0x01000193) >>> 0
  }
}

/**
 * A number that depends on a seed and on names alone, from 0 to below 1: for choices in code that runs at once, where the
 * order of draws is not the seed's.
 */
export function chanceOf(seed: number, ...names: (string | number)[]): number {
  const hash = [...names.join(' ')].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193),
    seed,
  )
  return mulberry(hash)()
}

/** Prints the numbers drawn since the last call, if any. Two runs of a proof with one seed print the same. */
export function printDrawn(): void {
  if (drawn.length > 0) console.log(`drawn: ${JSON.stringify(drawn)}`)
  drawn = []
}

function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
