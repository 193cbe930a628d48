import { createRoute } from '@hono/zod-openapi'
import { quotaRecord } from '../../features/quota/quota.ts'
import { UserInPath } from '../../platform/http/fields.ts'
import { createRouter, errorResponses, json, operatorRoute } from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { readUser, userOverview } from './read.ts'
import { UserOverview } from './schema.ts'

/** What a user has, for the studio's support (docs/helping-players.md), mounted at /v1. */
export const users = createRouter()

const getUser = createRoute({
  method: 'get',
  path: '/users/{user_id}',
  operationId: 'getUser',
  summary: 'Get how much a user has',
  description:
    'Counts and sizes, and no name or content. A user of whom nothing is stored has zeros. Requires a token with the scope `users:read`.',
  ...operatorRoute('users:read'),
  request: { params: UserInPath },
  responses: { 200: json(UserOverview, 'The counts'), ...errorResponses('FORBIDDEN') },
})
users.openapi(getUser, async (c) => {
  const ctx = requestContext(c)
  const { user_id } = c.req.valid('param')
  const rows = await readUser(ctx, user_id)
  return c.json(userOverview(user_id, rows, quotaRecord(rows.counts, ctx.config)), 200)
})
