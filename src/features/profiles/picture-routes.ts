import { pictureAnswers, sendPicture } from '../../platform/http/picture.ts'
import { publicContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { pictureTypes } from '../../platform/pictures/formats.ts'
import { findPicture, type PictureRow } from './read.ts'
import { PicturePath } from './schema.ts'

/** The pictures of profiles, for anybody (docs/conformance.md#profiles). */
export const router = new Router('Profiles', publicContext)

route(router, 'GET /pictures/files/{file_id}/{content_id}', 'getProfilePicture', {
  summary: 'Get a profile picture',
  description:
    'Needs no token: the path is that of a `picture_url`. 404 as soon as the picture is in the trash, blocked, or no longer chosen. The edge and browsers keep the picture: one that has ended leaves the edge within 20 seconds as a rule, and every cache within 5 minutes.',
  params: PicturePath,
  answers: pictureAnswers('picture', pictureTypes),
  errors: ['NOT_FOUND'],
  handle: async (ctx, { params }, c) => {
    const { file_id, content_id: object_key } = params
    const picture = await findPicture(ctx, file_id, object_key)
    return sendPicture(c, ctx, picture && { ...picture, object_key, tags: tagsOf(picture) })
  },
})

function tagsOf({ owner_id }: PictureRow) {
  return [
    ['profile', owner_id],
    ['owner', owner_id],
  ] as const
}
