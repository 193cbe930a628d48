import { z } from '@hono/zod-openapi'
import { isUserId } from '../auth/user-id.ts'
import { integer } from '../lib/integer.ts'

/** Members and parameters that several features share. */

export const Timestamp = z
  .int()
  .openapi({ 'x-name': 'Timestamp', 'x-description': 'Unix seconds', example: 1_795_257_600 })

export const Id = z.string().openapi({ 'x-name': 'Id', example: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' })

/** `id` in a path. A malformed id is handled as an unknown one. */
export const IdInPath = Id.openapi({ param: { name: 'id', in: 'path' } })

/** A user's id, for the description. */
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
    'must have 1 to 128 characters, no control characters, and be more than white space, . or ..',
  )
  .openapi(userIdInWords)

/** A user's id in an answer. */
export const KnownUserId = z.string().openapi(userIdInWords)

/** `user_id` in a path. */
export const UserInPath = z.object({
  user_id: UserId.openapi({ param: { name: 'user_id', in: 'path' } }),
})

/** The binding of a database, as operators name it. */
export const DatabaseName = z
  .string()
  .regex(/^DB(_[1-9]\d*)?$/, 'must be the binding of a database: DB, DB_1, …')
  .openapi({
    'x-name': 'DatabaseName',
    'x-description': 'The binding of a database: DB, DB_1, …',
    example: 'DB',
  })

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
      description: `${description}. 1 and 0 are taken, too`,
    })
}

/** In the record of anything that a moderator can block. */
export const Blocked = z.literal(true).optional().openapi({
  description: 'A moderator has blocked it: only its owner can see it. Absent otherwise',
})

/** `limit` of a list: up to `max` a page, `standard` by default. */
function pageLimit(standard: number, max: number, name: string) {
  return integer(1, max)
    .default(standard)
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: max,
      default: standard,
      description: 'How many a page has at most',
      param: { 'x-parameter': name },
    })
}

/** `limit` of the lists of files and of the trash (docs/conformance.md#8-limits). */
export const FilePageLimit = pageLimit(100, 500, 'FilePageLimit')

/** `limit` of every other list. */
export const PageLimit = pageLimit(50, 100, 'PageLimit')

export const Cursor = z.string().optional().openapi({ description: 'The `next_cursor` of the page before' })

/** The query of a list without filters. */
export const PageQuery = z.object({ limit: PageLimit, cursor: Cursor })

const NextCursor = z.string().nullable().openapi('NextCursor', {
  description: 'The `cursor` of the next page; null: this is the last one',
  example: 'eyJrIjpbIk1hcHMiXX0',
})

/** A page of a list: the given members, then `next_cursor`. */
export function page<Members extends z.core.$ZodShape>(members: Members) {
  return z.object({ ...members, next_cursor: NextCursor })
}
