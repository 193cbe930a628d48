import { isDeepStrictEqual } from 'node:util'

/** What an error says; of a comparison, also the first difference. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message } = error
  if (!('expected' in error) || !('actual' in error)) return message
  return `${message}: ${firstDifference(error.expected, error.actual, 'it')}`
}

/** Down to a member, or to an element of a list as a whole. */
function firstDifference(expected: unknown, observed: unknown, path: string): string {
  const [due, found] = [membersOf(expected), membersOf(observed)]
  const names = [...new Set([...due.keys(), ...found.keys()])]
  const name = names.find((name) => !isDeepStrictEqual(due.get(name), found.get(name)))
  if (name === undefined || due.size === 0 || found.size === 0)
    return `${path} should be ${JSON.stringify(expected)}, and is ${JSON.stringify(observed)}`
  const isElement = Array.isArray(expected) && Array.isArray(observed)
  const [one, other] = [due.get(name), found.get(name)]
  if (!isElement) return firstDifference(one, other, `${path}.${name}`)
  return `${path}[${name}] should be ${JSON.stringify(one)}, and is ${JSON.stringify(other)}`
}

function membersOf(value: unknown): Map<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
}
