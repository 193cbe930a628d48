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
    'Hides all resources of the user at once. The user’s token then opens an empty account. The scheduled job removes the rows and objects of a large account later. Branches that other users made keep their content. Requires a token with the scope `users:erase`.',
  ...operatorRoute('users:erase'),
  request: { params: UserInPath },
  responses: {
    202: { description: 'The user is erased; the job removes the rest' },
    ...errorResponses('FORBIDDEN'),
  },
})
erasure.openapi(deleteUser, async (c) => {
  await eraseUser(requestContext(c), c.req.valid('param').user_id)
  return c.body(null, 202)
})
