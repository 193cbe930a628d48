/**
 * Whether `text` can name a user: 1–128 Unicode scalar values without control characters (decisions, "Conventions").
 * `.`, `..` and white space alone can't: no path could hold them.
 */
export function isUserId(text: string): boolean {
  if (text === '.' || text === '..' || text.trim() === '') return false
  return text.isWellFormed() && /^\P{Cc}{1,128}$/u.test(text)
}
