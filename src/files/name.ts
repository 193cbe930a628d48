import { z } from '@hono/zod-openapi'
import { reject } from '../http/validation.ts'

const MAX_CODE_POINTS = 255

/** The name as it is stored, or why it is refused (decisions, "Files"). */
type NameDecision = { name: string; refusal?: never } | { refusal: string; name?: never }

/** Decides about a name: NFC first, then the rules. Two items in one folder may have the same. */
function decideName(input: unknown): NameDecision {
  if (typeof input !== 'string') return { refusal: 'A name is required, as a string.' }
  if (!input.isWellFormed()) return { refusal: 'A name may not hold half of a surrogate pair.' }
  const name = input.normalize('NFC')
  if (name === '') return { refusal: 'A name may not be empty.' }
  if ([...name].length > MAX_CODE_POINTS)
    return { refusal: `A name may have at most ${MAX_CODE_POINTS} code points.` }
  if (name === '.' || name === '..') return { refusal: 'A name may not be "." or "..".' }
  if (/[/\\]/.test(name)) return { refusal: 'A name may not contain "/" or "\\".' }
  if (/\p{Cc}/u.test(name)) return { refusal: 'A name may not contain control characters.' }
  if (/[\u202A-\u202E\u2066-\u2069]/.test(name))
    return { refusal: 'A name may not contain characters that turn the writing direction.' }
  if (name !== name.trim()) return { refusal: 'A name may not begin or end with white space.' }
  return { name }
}

/** A file's or folder's name in a request; FILE_INVALID_NAME when it is not allowed, or missing. */
export const FileName = z
  .unknown()
  .transform((input, context) => {
    const { name, refusal } = decideName(input)
    return name ?? reject(context, 'FILE_INVALID_NAME', refusal ?? '')
  })
  .openapi({
    type: 'string',
    minLength: 1,
    maxLength: MAX_CODE_POINTS,
    description:
      'Stored in Unicode NFC; 1–255 code points; not `.` or `..`; no `/`, `\\`, control or bidirectional control characters, no white space at either end',
    example: 'Maps',
  })
