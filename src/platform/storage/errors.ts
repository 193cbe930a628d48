/** The R2 error codes that rules look at (R2's documented error codes). */
export const r2Codes = {
  noSuchUpload: 10024,
  entityTooSmall: 10011,
  invalidPart: 10025,
  partsOfUnequalLength: 10048,
} as const

/** The code of an error that an R2 binding threw. It stands in brackets at the end of the message. */
export function r2Code(error: unknown): number | undefined {
  const code = error instanceof Error ? /\((\d+)\)$/.exec(error.message)?.[1] : undefined
  return code === undefined ? undefined : Number(code)
}
