import { z } from '@hono/zod-openapi'
import { Quota } from '../../features/quota/schema.ts'
import { KnownUserId } from '../../platform/http/fields.ts'

/** How much a user has, for the studio's support: counts and sizes, and no name or content. */
export const UserOverview = z
  .object({
    user_id: KnownUserId,
    is_being_erased: z.boolean().openapi({
      description: 'true: the job still removes what an erasure has hidden, and the numbers may include it',
    }),
    quota: Quota,
    item_count: z.int().openapi({ description: 'Files and folders, those in the trash too' }),
    asset_count: z.int().openapi({ description: 'Deleted assets too, until they are purged' }),
    public_asset_count: z.int(),
    version_count: z.int().openapi({ description: 'Versions of all assets, and their variants' }),
    favorite_count: z.int(),
    open_upload_count: z.int(),
    notifications: z
      .object({ total: z.int(), unread: z.int() })
      .openapi('NotificationCounts', { example: { total: 40, unread: 3 } })
      .openapi({
        description: 'Without announcements that the inbox has not taken in since the user last looked',
      }),
  })
  .openapi('UserOverview', {
    example: {
      user_id: 'ada',
      is_being_erased: false,
      quota: {
        used_bytes: 1_610_612_736,
        limit_bytes: 5_368_709_120,
        available_bytes: 3_758_096_384,
        usage_percent: 30,
      },
      item_count: 214,
      asset_count: 12,
      public_asset_count: 3,
      version_count: 57,
      favorite_count: 8,
      open_upload_count: 1,
      notifications: { total: 40, unread: 3 },
    },
  })
export type UserOverview = z.output<typeof UserOverview>
