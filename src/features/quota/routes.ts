import { UserInPath } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { quotaRecord, readQuota, setQuota } from './quota.ts'
import { Quota, SetQuota } from './schema.ts'

/** The quota (docs/conformance.md#quota-and-limits). */
export const router = new Router('Quota', requestContext)

route(router, 'GET /v1/quota', 'getQuota', {
  summary: 'Get the caller’s used and available storage',
  description: 'The trash and open uploads count too.',
  answers: { 200: [Quota, 'The quota'] },
  handle: async (ctx) => quotaRecord(await readQuota(ctx, ctx.user_id), ctx.config),
})

route(router, 'GET /v1/users/{user_id}/quota', 'getQuotaOfUser', {
  summary: 'Get a user’s used and available storage',
  tag: 'Operators',
  scope: 'quota:write',
  params: UserInPath,
  answers: { 200: [Quota, 'The quota'] },
  handle: async (ctx, { params }) => quotaRecord(await readQuota(ctx, params.user_id), ctx.config),
})

route(router, 'PUT /v1/users/{user_id}/quota', 'setQuotaOfUser', {
  summary: 'Set a user’s own storage limit',
  tag: 'Operators',
  scope: 'quota:write',
  params: UserInPath,
  body: SetQuota,
  answers: { 200: [Quota, 'The changed quota'] },
  handle: async (ctx, { params, body }) => {
    const row = await setQuota(ctx, params.user_id, body.limit_bytes)
    return quotaRecord(row, ctx.config)
  },
})
