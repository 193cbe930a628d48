import { z } from '@hono/zod-openapi'
import { Id, KnownUserId, Timestamp, UserId } from '../../platform/http/fields.ts'

/** The profile of a user (docs/conformance.md#profiles). */
export const Profile = z
  .object({
    user_id: KnownUserId,
    picture_url: z.url().nullable().openapi({
      description:
        'Needs no token, and is another one for other content. null: the user has chosen no picture, or the picture is in the trash or blocked',
    }),
    updated_at: Timestamp.nullable().openapi({
      description: 'When the picture was chosen; null without one',
    }),
  })
  .openapi('Profile', {
    example: {
      user_id: 'ada',
      picture_url:
        'https://game.example/pictures/files/019a7e2d-1c40-7000-9f21-63d0a9b7e415/019a7e2d-1a11-7000-93d0-63d0a9b7e416',
      updated_at: 1_795_257_600,
    },
  })
export type Profile = z.output<typeof Profile>

/** The body of a request that chooses the caller's picture. */
export const SetProfile = z
  .object({
    picture_id: Id.nullable().openapi({ description: 'A file of the type `profile_pic`; null: no picture' }),
  })
  .openapi('SetProfile', { example: { picture_id: '019a7e2d-1c40-7000-9f21-63d0a9b7e415' } })

/** The most users whose profiles one request asks for. */
const MAX_USERS = 100

/** The body of a request for profiles. */
export const GetProfiles = z
  .object({ user_ids: z.array(UserId).min(1).max(MAX_USERS) })
  .openapi('GetProfiles', { example: { user_ids: ['ada', 'bob'] } })

/** The answer to a request for profiles. */
export const Profiles = z
  .object({ profiles: z.array(Profile).openapi({ description: 'In the order of `user_ids`' }) })
  .openapi('Profiles')

/** The path of a profile picture. */
export const PicturePath = z.object({
  file_id: Id.openapi({ param: { name: 'file_id', in: 'path' } }),
  content_id: Id.openapi({ param: { name: 'content_id', in: 'path' } }),
})
