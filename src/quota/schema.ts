import { z } from '@hono/zod-openapi'
import { isUserId } from '../auth/user-id.ts'

/** Specification §2.5. */
export const Quota = z
  .object({
    used_bytes: z.int().openapi({
      description: 'Files (those in the trash too), the distinct contents of each asset, and open uploads',
    }),
    limit_bytes: z.int(),
    available_bytes: z.int().openapi({ description: 'Never below 0' }),
    usage_percent: z.number().openapi({ description: '100 × used / limit; 100 when the limit is 0' }),
  })
  .openapi('Quota')

/** A user's id wherever a request names one. */
export const UserId = z
  .string()
  .refine(
    isUserId,
    'must have 1 to 128 characters, no control characters, and be more than white space, . or ..',
  )
  .openapi({ type: 'string', minLength: 1, maxLength: 128 })

export const OfUser = z.object({ user_id: UserId.openapi({ param: { name: 'user_id', in: 'path' } }) })

export const SetQuota = z.object({
  limit_bytes: z.int().min(0).nullable().openapi({ description: 'null: the default of the service' }),
})
