/** What migrations change of a database that code of the previous release reads and writes. */
import type { DatabaseSync } from 'node:sqlite'
import type { Migration } from '../../../scripts/migrations/files.ts'
import type { Change } from './changes.ts'
import { type Parts, partsOf } from './parts.ts'

/** A part that is not as it was, or that is new and may refuse what was taken before. */
interface Difference {
  part: string
  how: 'gone' | 'changed' | 'new'
  /** The migration that has changed it last. */
  migration: string
}

/** Applies migrations to a database, and returns the differences that its old code may notice. */
export function differencesOf(database: DatabaseSync, migrations: readonly Migration[]): Difference[] {
  const old = partsOf(database)
  const changedBy = new Map<string, string>()
  let parts = old
  for (const { name, sql } of migrations) {
    database.exec(sql)
    const next = partsOf(database)
    for (const part of new Set([...parts.keys(), ...next.keys()]))
      if (parts.get(part) !== next.get(part)) changedBy.set(part, name)
    parts = next
  }
  const found: Omit<Difference, 'migration'>[] = []
  for (const [part, as] of old)
    if (parts.get(part) !== as) found.push({ part, how: parts.has(part) ? 'changed' : 'gone' })
  for (const [part, as] of parts)
    if (!old.has(part) && mayRefuse(part, as, old)) found.push({ part, how: 'new' })
  return found.map((difference) => ({ ...difference, migration: changedBy.get(difference.part) ?? '' }))
}

/** Whether a new part may refuse, or do otherwise with, what the old code writes to a table that it knows. */
function mayRefuse(part: string, as: string, old: Parts): boolean {
  const [, kind = '', table = ''] =
    /^(column|check|unique index|unique|foreign key|trigger) (\w+)/.exec(part) ?? []
  if (!old.has(`table ${table}`) && !old.has(`view ${table}`)) return false
  if (kind === 'column') return isNeeded(as)
  // A CHECK of new columns only: the old code leaves them at their defaults, which the migration has to satisfy.
  if (kind === 'check') return [...part.matchAll(/\w+/g)].some(([word]) => old.has(`column ${table}.${word}`))
  return true
}

function isNeeded(column: string): boolean {
  const { notnull, dflt_value, hidden }: { notnull: number; dflt_value: string | null; hidden: number } =
    JSON.parse(column)
  return notnull === 1 && dflt_value === null && hidden === 0
}

/** Differences for which there is no reason, and reasons for which there is no difference: a line each. */
export function unexplained(found: readonly Difference[], changes: readonly Change[]): string[] {
  const isFor = (difference: Difference, change: Change) =>
    change.migration === difference.migration && change.parts.includes(difference.part)
  const without = found
    .filter((difference) => !changes.some((change) => isFor(difference, change)))
    .map(({ part, how, migration }) => `${migration}: ${part} is ${how}, and changes.ts has no reason`)
  const unused = changes.flatMap((change) =>
    change.parts
      .filter((part) => !found.some((difference) => difference.part === part && isFor(difference, change)))
      .map(
        (part) => `${change.migration}: changes.ts has a reason for ${part}, which it does not change last`,
      ),
  )
  return [...without, ...unused]
}
