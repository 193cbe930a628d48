import { z } from '@hono/zod-openapi'
import { blockedKinds } from '../../platform/db/enumerations.ts'
import { Cursor, Id, KnownUserId, PageLimit, page, Timestamp, UserId } from '../../platform/http/fields.ts'

const Kind = z.enum(blockedKinds).openapi({ 'x-name': 'BlockedKind' })

const MAX_REASON_LENGTH = 500

/** Why an item is blocked. Only moderators see the reason. */
export const BlockReason = z
  .object({
    reason: z
      .string()
      .refine((text) => !text.includes('\u0000'), 'must not hold the character U+0000 (NUL)')
      .refine((text) => text.isWellFormed(), 'must not hold half of a surrogate pair')
      .refine(
        (text) => [...text].length <= MAX_REASON_LENGTH,
        `must have at most ${MAX_REASON_LENGTH} characters`,
      )
      .nullish()
      .openapi({
        type: ['string', 'null'],
        maxLength: MAX_REASON_LENGTH,
        description: 'Shown to moderators only. When absent, an earlier reason stays; null removes it',
      }),
  })
  .openapi('BlockReason', { example: { reason: 'Reported by three players' } })

export const ListBlocked = z.object({
  kind: Kind.optional().openapi({ description: 'Only files (and folders), or only game assets' }),
  owner_id: UserId.optional().openapi({ description: 'Only what this user owns' }),
  limit: PageLimit,
  cursor: Cursor,
})
export type ListBlocked = z.output<typeof ListBlocked>

/** A blocked file, folder or asset, with the moderator, the time and the reason of the block. */
export const BlockedContent = z
  .object({
    kind: Kind,
    id: Id,
    owner_id: KnownUserId,
    name: z.string(),
    blocked_at: Timestamp,
    blocked_by: KnownUserId.nullable().openapi({
      description:
        'The moderator. null: the item left a blocked folder and stayed blocked, or the moderator has been erased',
    }),
    reason: z.string().nullable(),
  })
  .openapi('BlockedContent', {
    example: {
      kind: 'files',
      id: '019a7e2d-1c40-7000-8f21-63d0a9b7e415',
      owner_id: 'ada',
      name: 'forest.png',
      blocked_at: 1_795_261_200,
      blocked_by: 'moderator-7',
      reason: 'Reported by three players',
    },
  })
export type BlockedContent = z.output<typeof BlockedContent>

export const BlockedPage = page({
  blocked: z.array(BlockedContent).openapi({ description: 'Latest block first' }),
}).openapi('BlockedPage')
