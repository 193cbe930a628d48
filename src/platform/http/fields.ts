import { z } from '@hono/zod-openapi'
import { isUserId } from '../auth/caller.ts'
import { integer } from '../lib/integer.ts'
import { isMisleadingText } from '../lib/text.ts'
import { reject } from './validation.ts'

/** A time, in Unix seconds. */
export const Timestamp = z
  .int()
  .openapi({ 'x-name': 'Timestamp', 'x-description': 'Unix seconds', example: 1_795_257_600 })

/** A time ahead, in a request. A time after the year 5138 was sent in milliseconds by mistake. */
export const FutureTime = z
  .int()
  .max(100_000_000_000, 'must be in Unix seconds; this looks like milliseconds')

/** The id of a resource. Clients treat it as opaque. */
export const Id = z.string().openapi({
  'x-name': 'Id',
  example: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
})

/** `id` in a path. A malformed id is handled as an unknown one. */
export const IdInPath = Id.openapi({ param: { name: 'id', in: 'path' } })

/** The description of a user's id. */
export const userIdInWords = {
  'x-name': 'UserId',
  'x-description': 'The `sub` of the user’s tokens',
  minLength: 1,
  maxLength: 128,
  example: 'ada',
} as const

/** A user's id in a request. */
export const UserId = z
  .string()
  .refine(
    isUserId,
    'must have 1 to 128 characters, no control characters, and must not be only white space, . or ..',
  )
  .openapi(userIdInWords)

/** A user's id in an answer. */
export const KnownUserId = z.string().openapi(userIdInWords)

/** `user_id` in a path. */
export const UserInPath = z.object({
  user_id: UserId.openapi({ param: { name: 'user_id', in: 'path' } }),
})

/** The name of a database: its binding in wrangler.toml. */
export const DatabaseName = z
  .string()
  .regex(/^DB(_[1-9]\d*)?$/, 'must be the binding of a database: DB, DB_1, …')
  .openapi({
    'x-name': 'DatabaseName',
    'x-description': 'The binding of a database: DB, DB_1, …',
    example: 'DB',
  })

/** type/subtype (RFC 6838 §4.2), without parameters or wildcards; stored in lower case. */
export const MimeType = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i,
    'must be type/subtype, like image/png, without parameters',
  )
  .transform((type) => type.toLowerCase())
  .openapi({
    'x-name': 'MimeType',
    'x-description': 'type/subtype, without parameters',
    type: 'string',
    example: 'image/png',
  })

/** The MIME type in a Content-Type (RFC 9110 §8.3), without its parameters; undefined when it is missing or malformed. */
export function mimeTypeIn(contentType: string | undefined): string | undefined {
  return MimeType.safeParse(contentType?.split(';')[0]?.trim()).data
}

/** A boolean query parameter; false by default. */
export function flag(description: string) {
  return z
    .enum(['true', 'false', '1', '0'])
    .default('false')
    .transform((value) => value === 'true' || value === '1')
    .openapi({
      type: 'boolean',
      enum: undefined,
      default: false,
      description: `${description}. \`1\` and \`0\` are accepted too`,
    })
}

/** `blocked` in the record of a file, folder or game asset. */
export const Blocked = z.literal(true).optional().openapi({
  description: 'true: a moderator has blocked it, and only its owner can see it. Absent otherwise',
})

/** `limit` of a list: the most entries of a page, up to `max`, and `standard` by default. */
function pageLimit(standard: number, max: number, name: string) {
  return integer(1, max)
    .default(standard)
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: max,
      default: standard,
      description: 'The most entries of a page',
      param: { 'x-parameter': name },
    })
}

/** `limit` of the lists of files and of the trash (docs/conformance.md#conventions). */
export const FilePageLimit = pageLimit(100, 500, 'FilePageLimit')

/** `limit` of every other list. */
export const PageLimit = pageLimit(50, 100, 'PageLimit')

/** `cursor` of a list. */
export const Cursor = z.string().optional().openapi({ description: 'The `next_cursor` of the previous page' })

/** The query of a list without filters. */
export const PageQuery = z.object({ limit: PageLimit, cursor: Cursor })

const NextCursor = z.string().nullable().openapi('NextCursor', {
  description: 'The `cursor` of the next page; null on the last page',
  example: 'eyJrIjpbIk1hcHMiXX0',
})

/** The schema of a page of a list: the given members, then `next_cursor`. */
export function page<Members extends z.core.$ZodShape>(members: Members) {
  return z.object({ ...members, next_cursor: NextCursor })
}

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

/**
 * The schema of a header with a text in percent-encoded UTF-8; null when it is empty. `mistakeIn` says what is wrong with a text, or
 * undefined.
 */
export function encodedText(
  mistakeIn: (text: string | null) => string | undefined,
  example: string,
  description: string,
) {
  return z
    .string()
    .transform((header, context) => {
      const text = decodedText(header)
      const mistake = text === undefined ? 'must be percent-encoded UTF-8' : mistakeIn(text)
      return mistake === undefined ? text : reject(context, 'VALIDATION_FAILED', mistake)
    })
    .optional()
    .openapi({ type: 'string', param: { in: 'header' }, description, example })
}

/** The text of a header in percent-encoded UTF-8; null when the header is empty, undefined when it is malformed. */
export function decodedText(header: string): string | null | undefined {
  if (header === '') return null
  if (!/^[\x20-\x7e]*$/.test(header)) return undefined
  try {
    return decodeURIComponent(header)
  } catch {
    return undefined
  }
}
