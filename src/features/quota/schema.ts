import { z } from '@hono/zod-openapi'

/** A user's storage quota (docs/conformance.md#quota-and-limits). */
export const Quota = z
  .object({
    used_bytes: z.int().openapi({
      description: 'Files (those in the trash too), the distinct contents of each asset, and open uploads',
    }),
    limit_bytes: z.int(),
    available_bytes: z.int().openapi({ description: 'Never below 0' }),
    usage_percent: z.number().openapi({ description: '100 × used / limit; 100 when the limit is 0' }),
  })
  .openapi('Quota', {
    example: {
      used_bytes: 1_610_612_736,
      limit_bytes: 5_368_709_120,
      available_bytes: 3_758_096_384,
      usage_percent: 30,
    },
  })
export type Quota = z.output<typeof Quota>

/** The body of a request that sets a user's limit. */
export const SetQuota = z
  .object({
    limit_bytes: z.int().min(0).nullable().openapi({ description: 'null: the default of the service' }),
  })
  .openapi('SetQuota', { example: { limit_bytes: 10_737_418_240 } })
