import { z } from '@hono/zod-openapi'
import { stages } from './page.ts'

/** Which page is asked for; its members are those of `Asked`. */
export const ReconcilePage = z.object({
  database: z.string().regex(/^DB(_[1-9]\d*)?$/, 'must be the binding of a database: DB, DB_1, …'),
  stage: z.enum(stages),
  after: z.string().max(2_048).default(''),
  repair: z.boolean().default(false),
  accept_missing: z.boolean().default(false),
})

/** What was found; its members are those of `Page`. */
export const Reconciled = z.looseObject({ looked_at: z.int(), next: z.string().nullable() })

/** What there is to compare. */
export const Extent = z.object({ databases: z.array(z.string()), stages: z.array(z.string()) })
