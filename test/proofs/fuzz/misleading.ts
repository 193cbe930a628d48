import type { Change } from './snapshot.ts'

/** A name that others may see, and that is not what it looks like. */
export function misleadingName(changes: Change[]): string | undefined {
  return changes
    .filter(({ table }) => ['files', 'game_assets', 'inbox'].includes(table))
    .flatMap(({ table, column, after }) => namesIn(column, after).map((name) => ({ table, name })))
    .filter(
      ({ name }) => /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(name) || name.trim() !== name || name === '',
    )
    .map(({ table, name }) => `a misleading name: ${JSON.stringify(name)} in ${table}`)[0]
}

function namesIn(column: string, after: unknown): string[] {
  if (column === 'name' && typeof after === 'string') return [after]
  if (column !== 'row' || typeof after !== 'object' || after === null) return []
  return Object.entries(after).flatMap(([name, value]) => (name === 'name' ? [String(value)] : []))
}
