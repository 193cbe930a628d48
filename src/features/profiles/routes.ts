import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { createRouter, errorResponsesWithBody, json, jsonRequest } from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { profileRecord, readProfiles } from './read.ts'
import { GetProfiles, Profile, Profiles, SetProfile } from './schema.ts'
import { setProfile } from './set.ts'

/** Profiles (docs/conformance.md#profiles), mounted at /v1. */
export const profiles = createRouter()
const tags = ['Profiles']

const putProfile = createRoute({
  method: 'put',
  path: '/profile',
  operationId: 'setProfile',
  summary: 'Choose the caller’s profile picture',
  description:
    'Everybody can then see the picture, signed in or not, even if its file is private. Another content of the file becomes the picture at once.',
  tags,
  middleware: jsonBody,
  request: { body: jsonRequest(SetProfile) },
  responses: { 200: json(Profile, 'The profile'), ...errorResponsesWithBody('FILE_NOT_FOUND') },
})
profiles.openapi(putProfile, async (c) => {
  const ctx = requestContext(c)
  const profile = await setProfile(ctx, c.req.valid('json').picture_id)
  return c.json(profileRecord(ctx.user_id, profile, originOf(c.req.url)), 200)
})

const postProfiles = createRoute({
  method: 'post',
  path: '/profiles',
  operationId: 'getProfiles',
  summary: 'Get the profiles of up to 100 users',
  description: 'Unknown users are in the answer as users without a picture.',
  tags,
  middleware: jsonBody,
  request: { body: jsonRequest(GetProfiles) },
  responses: { 200: json(Profiles, 'The profiles'), ...errorResponsesWithBody() },
})
profiles.openapi(postProfiles, async (c) => {
  const { user_ids } = c.req.valid('json')
  const found = await readProfiles(requestContext(c), user_ids)
  const origin = originOf(c.req.url)
  return c.json({ profiles: user_ids.map((user_id, at) => profileRecord(user_id, found[at], origin)) }, 200)
})

function originOf(url: string): string {
  return new URL(url).origin
}
