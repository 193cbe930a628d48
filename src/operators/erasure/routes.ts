import { createRoute } from '@hono/zod-openapi'
import { UserInPath } from '../../platform/http/fields.ts'
import { createRouter, errorResponses, operatorRoute } from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { eraseUser } from './erase.ts'

/** Erasing a user (docs/conformance.md#for-those-who-run-it), mounted at /v1. */
export const erasure = createRouter()

const deleteUser = createRoute({
  method: 'delete',
  path: '/users/{user_id}',
  operationId: 'eraseUser',
  summary: 'Erase a user',
  description:
    'From then on nothing of theirs can be read, and their own token opens an empty account. The scheduled job removes what a large account leaves. Branches that others made keep their content. Requires a token with the scope `users:erase`.',
  ...operatorRoute('users:erase'),
  request: { params: UserInPath },
  responses: { 202: { description: 'It is under way' }, ...errorResponses('FORBIDDEN') },
})
erasure.openapi(deleteUser, async (c) => {
  await eraseUser(requestContext(c), c.req.valid('param').user_id)
  return c.body(null, 202)
})
