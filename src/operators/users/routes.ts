import { quotaRecord } from '../../features/quota/quota.ts'
import { UserInPath } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { readUser, userOverview } from './read.ts'
import { UserOverview } from './schema.ts'

/** The overview of a user, for the studio's support (docs/helping-players.md). */
export const router = new Router('Operators', requestContext)

route(router, 'GET /v1/users/{user_id}', 'getUser', {
  summary: 'Get how much a user has',
  description: 'Counts and sizes, and no name or content. A user of whom nothing is stored has zeros.',
  scope: 'users:read',
  params: UserInPath,
  answers: { 200: [UserOverview, 'The counts'] },
  handle: async (ctx, { params: { user_id } }) => {
    const rows = await readUser(ctx, user_id)
    return userOverview(user_id, rows, quotaRecord(rows.counts, ctx.config))
  },
})
