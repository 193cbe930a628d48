import { z } from '@hono/zod-openapi'

/** `limit` of a list that holds up to `max` a page. Nothing is clamped: what is out of range is refused. */
export function pageLimit(standard: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(standard)
    .openapi({ type: 'integer', minimum: 1, maximum: max, default: standard })
}
