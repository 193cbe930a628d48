/** Whether `text` can name a user: 1–128 Unicode scalar values, no control characters (decisions, "Conventions"). */
export function isUserId(text: string): boolean {
  return text.isWellFormed() && /^\P{Cc}{1,128}$/u.test(text)
}
