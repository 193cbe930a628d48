import { createRoute } from '@hono/zod-openapi'
import { createRouter, publicErrorResponses } from '../../platform/http/openapi.ts'
import { sendPicture } from '../../platform/http/picture.ts'
import { publicContext } from '../../platform/http/request-context.ts'
import { pictureTypes } from '../../platform/pictures/types.ts'
import { findPicture } from './read.ts'
import { PicturePath } from './schema.ts'

/** The pictures of profiles, for anybody (docs/conformance.md#profiles), mounted at /pictures. */
export const profilePictures = createRouter()

const schema = { type: 'string', format: 'binary' } as const
const headers = { ETag: { description: 'For If-None-Match', schema: { type: 'string' } } } as const

const getPicture = createRoute({
  method: 'get',
  path: '/files/{file_id}/{content_id}',
  operationId: 'getProfilePicture',
  summary: 'Get a profile picture',
  description:
    'Needs no token: the path is that of a `picture_url`. 404 as soon as the picture is in the trash, blocked, or no longer chosen.',
  tags: ['Profiles'],
  security: [],
  request: { params: PicturePath },
  responses: {
    200: {
      description: 'The picture',
      headers,
      content: Object.fromEntries(pictureTypes.map((type) => [type, { schema }])),
    },
    304: { description: 'The client has the picture: If-None-Match names it', headers },
    ...publicErrorResponses('NOT_FOUND'),
  },
})
profilePictures.openapi(getPicture, async (c) => {
  const { file_id, content_id: object_key } = c.req.valid('param')
  const ctx = publicContext(c)
  const picture = await findPicture(ctx, file_id, object_key)
  return sendPicture(c, ctx, picture && { ...picture, object_key, caching: 'public' })
})
