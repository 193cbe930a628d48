import { z } from '@hono/zod-openapi'
import { Cursor, Id, KnownUserId, PageLimit, page, Timestamp, UserId } from '../../platform/http/fields.ts'
import { integer } from '../../platform/lib/integer.ts'

/** The last second whose ids have a time of 12 hexadecimal digits in milliseconds. */
const LAST_SECOND = 253_402_300_799

const time = (description: string) =>
  integer(0, LAST_SECOND).optional().openapi({ type: 'integer', minimum: 0, description })

/** The query of the list. */
export const ListAudit = z.object({
  actor: UserId.optional().openapi({ description: 'Only what this user or service did' }),
  user_id: UserId.optional().openapi({ description: 'Only what concerns this user' }),
  action: z
    .string()
    .regex(/^[A-Za-z]{1,100}$/, 'must be the operationId of a request')
    .optional()
    .openapi({ description: 'Only requests of this operationId', example: 'blockAsset' }),
  from: time('Unix seconds: nothing earlier'),
  to: time('Unix seconds: only what is earlier'),
  limit: PageLimit,
  cursor: Cursor,
})
export type ListAudit = z.output<typeof ListAudit>

/** An entry of the audit. */
const AuditEntry = z
  .object({
    id: Id,
    at: Timestamp,
    actor: KnownUserId.openapi({ description: 'Who did it. After an erasure of the user, another id' }),
    scope: z.string().openapi({ description: 'The scope under which it was done' }),
    action: z.string().openapi({ description: 'The operationId of the request' }),
    user_id: KnownUserId.nullable().openapi({
      description: 'Whom it concerns: of a block the owner. After an erasure of the user, another id',
    }),
    resource: z.string().nullable().openapi({ description: 'The id of the thing' }),
    reason: z.string().nullable().openapi({ description: 'The `Audit-Reason`, or the reason of a block' }),
    request_id: z.string().openapi({ description: 'The `X-Request-Id` of the answer' }),
    status: z
      .int()
      .nullable()
      .openapi({ description: 'The status of the answer. null: the request was cut off, or has not ended' }),
  })
  .openapi('AuditEntry', {
    example: {
      id: '019a7e41-0b5c-7000-9d3c-7f1e2a3b4c5d',
      at: 1_795_261_200,
      actor: 'moderator-7',
      scope: 'content:moderate',
      action: 'blockFile',
      user_id: 'ada',
      resource: '019a7e2d-1c40-7000-8f21-63d0a9b7e415',
      reason: 'Reported by three players',
      request_id: '5f0c9a52-6f1e-4a86-9f0e-0f9f5d1a7c33',
      status: 204,
    },
  })

export const AuditPage = page({
  entries: z.array(AuditEntry).openapi({ description: 'Newest first' }),
}).openapi('AuditPage')
