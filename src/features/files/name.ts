import { isMisleading } from '../../platform/lib/visible-text.ts'

/** The most code points of a name. */
export const MAX_NAME_CODE_POINTS = 255

/** A name in NFC, as it is stored, or why it is not allowed. */
type ParsedName = { name: string; error?: never } | { error: string; name?: never }

/** Parses the name of a file or folder (docs/conformance.md#files). Two items in one folder may have the same name. */
export function parseName(input: unknown): ParsedName {
  if (typeof input !== 'string') return { error: 'A name is required, as a string.' }
  if (!input.isWellFormed()) return { error: 'A name may not contain half of a surrogate pair.' }
  const name = input.normalize('NFC')
  if (name === '') return { error: 'A name may not be empty.' }
  if ([...name].length > MAX_NAME_CODE_POINTS)
    return { error: `A name may have at most ${MAX_NAME_CODE_POINTS} code points.` }
  if (name === '.' || name === '..') return { error: 'A name may not be "." or "..".' }
  if (/[/\\]/.test(name)) return { error: 'A name may not contain "/" or "\\".' }
  if (/\p{Cc}/u.test(name)) return { error: 'A name may not contain control characters.' }
  if (isMisleading(name))
    return { error: 'A name may not contain characters that turn the writing direction.' }
  if (name !== name.trim()) return { error: 'A name may not begin or end with white space.' }
  return { name }
}
