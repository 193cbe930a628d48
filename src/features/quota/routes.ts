import { UserInPath } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { readBreakdown } from './breakdown.ts'
import { quotaRecord, readQuota, setQuota } from './quota.ts'
import { Quota, QuotaBreakdown, SetQuota } from './schema.ts'

/** The quota (docs/conformance.md#quota-and-limits). */
export const router = new Router('Quota', requestContext)

route(router, 'GET /v1/quota', 'getQuota', {
  summary: 'Get the caller’s used and available storage',
  description: 'The trash and open uploads count too.',
  answers: { 200: [Quota, 'The quota'] },
  handle: async (ctx) => quotaRecord(await readQuota(ctx, ctx.user_id), ctx.config),
})

route(router, 'GET /v1/quota/breakdown', 'getQuotaBreakdown', {
  summary: 'Get what takes the caller’s storage',
  description:
    'How many bytes each kind of content has, and the largest contents. `UNAVAILABLE` until a scheduled job has counted a user who is older than this request.',
  answers: { 200: [QuotaBreakdown, 'What takes the storage'] },
  handle: (ctx) => readBreakdown(ctx),
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
