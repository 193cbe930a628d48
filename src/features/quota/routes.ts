import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { UserInPath } from '../../platform/http/fields.ts'
import {
  createRouter,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  operatorRoute,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { quotaRecord, readQuota, setQuota } from './quota.ts'
import { Quota, SetQuota } from './schema.ts'

/** The quota (docs/conformance.md#quota-and-limits), mounted at /v1. */
export const quota = createRouter()

const getQuota = createRoute({
  method: 'get',
  path: '/quota',
  operationId: 'getQuota',
  summary: 'Get the caller’s used and available storage',
  description: 'The trash and open uploads count too.',
  tags: ['Quota'],
  responses: { 200: json(Quota, 'The quota'), ...errorResponses() },
})
quota.openapi(getQuota, async (c) => {
  const ctx = requestContext(c)
  return c.json(quotaRecord(await readQuota(ctx, ctx.user_id), ctx.config), 200)
})

const operators = operatorRoute('quota:write')

const getQuotaOf = createRoute({
  method: 'get',
  path: '/users/{user_id}/quota',
  operationId: 'getQuotaOfUser',
  summary: 'Get a user’s used and available storage',
  description: 'Requires a token with the scope `quota:write`.',
  ...operators,
  request: { params: UserInPath },
  responses: { 200: json(Quota, 'The quota'), ...errorResponses('FORBIDDEN') },
})
quota.openapi(getQuotaOf, async (c) => {
  const ctx = requestContext(c)
  return c.json(quotaRecord(await readQuota(ctx, c.req.valid('param').user_id), ctx.config), 200)
})

const putQuotaOf = createRoute({
  method: 'put',
  path: '/users/{user_id}/quota',
  operationId: 'setQuotaOfUser',
  summary: 'Set a user’s own storage limit',
  description: 'Requires a token with the scope `quota:write`.',
  ...operators,
  middleware: [operators.middleware, jsonBody],
  request: { params: UserInPath, body: jsonRequest(SetQuota) },
  responses: { 200: json(Quota, 'The changed quota'), ...errorResponsesWithBody('FORBIDDEN') },
})
quota.openapi(putQuotaOf, async (c) => {
  const ctx = requestContext(c)
  const { limit_bytes } = c.req.valid('json')
  const row = await setQuota(ctx, c.req.valid('param').user_id, limit_bytes)
  return c.json(quotaRecord(row, ctx.config), 200)
})
