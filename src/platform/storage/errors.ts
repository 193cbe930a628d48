/** The error codes of R2 that callers handle, as R2 documents them. */
export const r2Codes = {
  noSuchUpload: 10024,
  entityTooSmall: 10011,
  invalidPart: 10025,
  partsOfUnequalLength: 10048,
} as const

/** The code of an error that an R2 binding threw, which is in parentheses at the end of the message. */
export function r2Code(error: unknown): number | undefined {
  const code = error instanceof Error ? /\((\d+)\)$/.exec(error.message)?.[1] : undefined
  return code === undefined ? undefined : Number(code)
}
