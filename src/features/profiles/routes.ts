import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { profileRecord, readProfiles } from './read.ts'
import { GetProfiles, Profile, Profiles, SetProfile } from './schema.ts'
import { setProfile } from './set.ts'

/** Profiles (docs/conformance.md#profiles). */
export const router = new Router('Profiles', requestContext)

route(router, 'PUT /v1/profile', 'setProfile', {
  summary: 'Choose the caller’s profile picture',
  description:
    'Everybody can then see the picture, signed in or not, even if its file is private. Another content of the file becomes the picture at once.',
  body: SetProfile,
  answers: { 200: [Profile, 'The profile'] },
  errors: ['FILE_NOT_FOUND'],
  handle: async (ctx, { body }) => {
    const profile = await setProfile(ctx, body.picture_id)
    return profileRecord(ctx.user_id, profile, originOf(ctx.request_url))
  },
})

route(router, 'POST /v1/profiles', 'getProfiles', {
  summary: 'Get the profiles of up to 100 users',
  description: 'Unknown users are in the answer as users without a picture.',
  onBehalf: 'reads',
  body: GetProfiles,
  answers: { 200: [Profiles, 'The profiles'] },
  handle: async (ctx, { body }) => {
    const found = await readProfiles(ctx, body.user_ids)
    const origin = originOf(ctx.request_url)
    return { profiles: body.user_ids.map((user_id, at) => profileRecord(user_id, found[at], origin)) }
  },
})

function originOf(url: string): string {
  return new URL(url).origin
}
