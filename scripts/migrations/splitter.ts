/** How the remote D1 splits a migration into statements. It is not how SQLite does. */

/** A string, an identifier in quotes, a comment, or one character. */
const TOKEN = /'[^']*'?|"[^"]*"?|`[^`]*`?|--[^\n]*\n?|\/\*[\s\S]*?(?:\*\/|$)|[\s\S]/g

/**
 * The statements of a text by the rules of D1's `/query`, to which `wrangler d1 migrations apply --remote` posts a whole file.
 * A semicolon ends a statement, except inside a compound one. `BEGIN` in upper case opens a compound statement. An upper-case
 * `END` before a semicolon or white space closes it, also when it is the end of a `CASE`.
 *
 * Cloudflare has not published the rules. These are those of the splitter that wrangler had at first (workers-sdk pull
 * request 2495). They explain what was reported of D1: a `CASE … END` in a trigger is refused and `(CASE … END)` is taken
 * (workers-sdk issues 4326 and 4727), a lower-case `begin` is refused (10998 and 15314).
 */
export function splitAsD1(sql: string): string[] {
  const statements: string[] = []
  let text = ''
  let depth = 0
  for (const [token] of sql.matchAll(TOKEN)) {
    if (depth > 0 && /\sEND[;\s]$/.test(text.slice(-4) + token.slice(0, 1))) depth -= 1
    if (token === ';' && depth === 0) {
      statements.push(text)
      text = ''
      continue
    }
    text += token
    if (/\sBEGIN\s$/.test(text.slice(-7))) depth += 1
  }
  return [...statements, text].map((statement) => statement.trim()).filter((statement) => statement !== '')
}

/** A text without comments and strings, so that words can be looked for. */
export function wordsOf(sql: string): string {
  return sql.replaceAll(TOKEN, (token) => (token.length > 1 ? ' ' : token))
}
