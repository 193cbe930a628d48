/** `d1_migrations`, the table in which wrangler notes which migrations a database has. */

/** The statement that notes a migration as applied. It fails when it is noted already. */
export function ledgerEntry(name: string): string {
  return `INSERT INTO d1_migrations (name) VALUES ('${name.replaceAll("'", "''")}');`
}
