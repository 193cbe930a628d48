import { z } from '@hono/zod-openapi'
import { isMisleadingText } from '../../platform/lib/visible-text.ts'

/** The schema of plain text of several lines, which is kept as it is sent. `max`: the most code points. */
export function plainText(max: number) {
  return z
    .string()
    .refine((text) => text.isWellFormed(), 'must not have half of a surrogate pair')
    .refine(
      (text) => !isMisleadingText(text),
      'must not have control characters, other than tabs and the ends of lines, or characters that turn the writing direction',
    )
    .refine((text) => [...text].length <= max, `must have at most ${max} characters (code points)`)
}

/** What `plainText` takes, in words of the description. */
export const plainTextInWords =
  'Plain text, kept as it is sent. Control characters other than tabs and the ends of lines, and bidirectional control characters, are rejected'
