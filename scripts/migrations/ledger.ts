/** `d1_migrations`, the table in which wrangler notes which migrations a database has. */

/** Migrations that had another name before. A database that has one by that name does not need it again. */
export const RENAMED: Readonly<Record<string, string>> = {
  '0009_faster_moves.sql': '0008_faster_moves.sql',
}

/** The statement that notes a migration as applied. It fails when it is noted already. */
export function ledgerEntry(name: string): string {
  return `INSERT INTO d1_migrations (name) VALUES ('${name.replaceAll("'", "''")}');`
}

/** The statements that give applied migrations their present names. */
export function renamingOf(applied: readonly string[]): string[] {
  return Object.entries(RENAMED)
    .filter(([before, now]) => applied.includes(before) && !applied.includes(now))
    .map(([before, now]) => `UPDATE d1_migrations SET name = '${now}' WHERE name = '${before}';`)
}
