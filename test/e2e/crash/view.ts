import { isDeepStrictEqual } from 'node:util'

/** Everything that a user can see, or should: each thing by a name for it. */
export type View = Map<string, unknown>

export interface Difference {
  name: string
  expected: unknown
  observed: unknown
}

/** What is not as expected: missing, too much, or otherwise. */
export function differences(expected: View, observed: View): Difference[] {
  return [...new Set([...expected.keys(), ...observed.keys()])]
    .map((name) => ({ name, expected: expected.get(name), observed: observed.get(name) }))
    .filter((pair) => !isDeepStrictEqual(pair.expected, pair.observed))
}

/** Differences in words. */
export function told(found: Difference[]): string {
  const lines = found.map(
    ({ name, expected, observed }) =>
      `${name}\n    expected ${JSON.stringify(expected) ?? 'nothing'}\n    observed ${JSON.stringify(observed) ?? 'nothing'}`,
  )
  return lines.slice(0, 10).join('\n  ')
}
