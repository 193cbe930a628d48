import { z } from 'zod'

/** The user that a token is for. @throws Error when it is no token of a user */
export function subjectOf(token: string): string {
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return z.object({ sub: z.string() }).parse(payload).sub
}
