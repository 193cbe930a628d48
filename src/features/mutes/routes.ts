import { PageQuery, UserInPath } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { listMutes } from './list.ts'
import { MutePage } from './schema.ts'
import { muteUser, unmuteUser } from './set.ts'

/** The users whom a user has muted (docs/conformance.md#muted-players). */
export const router = new Router('Mutes', requestContext)

route(router, 'PUT /v1/mutes/{user_id}', 'muteUser', {
  summary: 'Mute a user',
  description:
    'Their shares leave the caller’s list, they cause no notification, and the clients leave their assets out of the catalogue. The muted user, who need not exist, does not learn of it. Muting again keeps `created_at`. UNAVAILABLE: the mute may be stored, and then it takes full effect within minutes.',
  onBehalf: 'never',
  params: UserInPath,
  answers: { 204: 'The user is muted' },
  errors: ['VALIDATION_FAILED', 'LIMIT_REACHED'],
  handle: (ctx, { params }) => muteUser(ctx, params.user_id),
})

route(router, 'DELETE /v1/mutes/{user_id}', 'unmuteUser', {
  summary: 'Unmute a user',
  description: 'Their shares are listed again. A user who is not muted stays so.',
  onBehalf: 'never',
  params: UserInPath,
  answers: { 204: 'The user is not muted' },
  handle: (ctx, { params }) => unmuteUser(ctx, params.user_id),
})

route(router, 'GET /v1/mutes', 'listMutes', {
  summary: 'List the users whom the caller has muted, the last muted first',
  query: PageQuery,
  answers: { 200: [MutePage, 'A page of muted users'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listMutes(ctx, query)
    return { mutes: rows.map(({ user_id, created_at }) => ({ user_id, created_at })), next_cursor }
  },
})
