import { z } from '@hono/zod-openapi'
import { FutureTime, Id, IdInPath, page, Timestamp } from '../../platform/http/fields.ts'
import { GameData, gameDataProblem, OwnType } from '../../platform/http/game-data.ts'

/** An announcement (docs/conformance.md#announcements). */
export const Announcement = z
  .object({
    id: Id,
    type: OwnType,
    data: GameData,
    expires_at: Timestamp,
    created_at: Timestamp,
  })
  .openapi('Announcement', {
    example: {
      id: '019a7e3a-5c1f-7000-8d47-2b6e9f0a1c38',
      type: 'studio.maintenance',
      data: { begins_at: 1_795_284_000, minutes: 30 },
      expires_at: 1_795_285_800,
      created_at: 1_795_257_600,
    },
  })
export type Announcement = z.output<typeof Announcement>

/** The body of a request that announces. */
export const PublishAnnouncement = z
  .object({
    type: OwnType,
    data: GameData.superRefine((data, context) => {
      const problem = gameDataProblem(data)
      if (problem !== undefined) context.addIssue(problem)
    }),
    expires_at: FutureTime.openapi({
      description:
        'Unix seconds: when it goes from every inbox. At most the retention ahead (NOTIFICATION_RETENTION_DAYS)',
    }),
  })
  .openapi('PublishAnnouncement', {
    example: {
      type: 'studio.maintenance',
      data: { begins_at: 1_795_284_000, minutes: 30 },
      expires_at: 1_795_285_800,
    },
  })
export type PublishAnnouncement = z.output<typeof PublishAnnouncement>

/** The answer to a list of announcements. */
export const AnnouncementPage = page({
  announcements: z.array(Announcement).openapi({ description: 'Newest first' }),
}).openapi('AnnouncementPage')

/** The id of an announcement in a path. */
export const AnnouncementId = z.object({ id: IdInPath })
