import { UserInPath } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Reply, Router, route } from '../../platform/http/route.ts'
import { eraseUser } from './erase.ts'

/** Erasing a user (docs/conformance.md#for-those-who-run-it). */
export const router = new Router('Operators', requestContext)

route(router, 'DELETE /v1/users/{user_id}', 'eraseUser', {
  summary: 'Erase a user',
  description:
    'Hides all resources of the user at once. The user’s token then opens an empty account. The scheduled job removes the rows and objects of a large account later. Branches that other users made keep their content.',
  scope: 'users:erase',
  params: UserInPath,
  answers: { 202: 'The user is erased; the job removes the rest' },
  handle: async (ctx, { params }) => {
    await eraseUser(ctx, params.user_id)
    return new Reply(202, null, {})
  },
})
