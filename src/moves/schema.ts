import { z } from '@hono/zod-openapi'

const Bucket = z.string().regex(/^[0-9a-f]{3}$/, 'must be three hexadecimal digits')

/** Which buckets are to be moved, and where to. */
export const MoveRange = z
  .object({
    first: Bucket,
    last: Bucket,
    database: z.string().regex(/^DB(_[1-9]\d*)?$/, 'must be the binding of a database: DB, DB_1, …'),
    settle_seconds: z.int().min(0).max(3_600).default(60),
  })
  .refine(({ first, last }) => first <= last, { path: ['last'], message: 'must not come before `first`' })

/** What is known about a move; its members are those of `Progress` and `Preparation`. */
export const Answer = z.looseObject({ state: z.string() })

export const Overview = z.looseObject({ databases: z.array(z.looseObject({ database: z.string() })) })
