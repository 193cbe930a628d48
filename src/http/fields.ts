import { z } from '@hono/zod-openapi'

/** Members that stand in the requests and answers of many endpoints. */

export const Timestamp = z.int().openapi({ description: 'Unix seconds', example: 1_795_257_600 })

export const Id = z.string().openapi({ example: '019a7e2c-6f7a-7000-8d3c-2b9f4e1a5c60' })

/** `id` in a path. One that is malformed is treated as one that is unknown. */
export const IdInPath = Id.openapi({ param: { name: 'id', in: 'path' } })

/** A yes-or-no parameter of a query; no when it is left out. */
export function flag(description: string) {
  return z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .openapi({ type: 'string', enum: ['true', 'false'], description })
}

/** In what a moderator can block. */
export const Blocked = z.literal(true).optional().openapi({
  description: 'A moderator has blocked it: only its owner can see it. Absent otherwise',
})

export const Cursor = z.string().optional().openapi({ description: 'next_cursor of the page before' })

export const NextCursor = z.string().nullable().openapi({ description: 'null: this is the last page' })
