import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../http/body.ts'
import {
  createRouter,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  operatorRoute,
} from '../http/openapi.ts'
import { requestContext } from '../http/request-context.ts'
import { stages } from './page.ts'
import { reconcilePage } from './reconcile.ts'
import * as schema from './schema.ts'

/**
 * What `npm run reconcile` asks for (docs/going-back.md), mounted at /v1/reconcile. The description leaves these routes
 * out: no client has a use for them.
 */
export const reconciliation = createRouter()

const operator = { ...operatorRoute('content:reconcile'), 'x-internal': true }

const getExtent = createRoute({
  method: 'get',
  path: '/',
  operationId: 'getReconcileExtent',
  summary: 'Get what there is to compare',
  ...operator,
  responses: { 200: json(schema.Extent, 'The databases and the stages'), ...errorResponses('FORBIDDEN') },
})
reconciliation.openapi(getExtent, (c) =>
  c.json({ databases: requestContext(c).databases.names, stages: [...stages] }, 200),
)

const postPage = createRoute({
  method: 'post',
  path: '/',
  operationId: 'reconcile',
  summary: 'Compare the next rows and objects',
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { body: jsonRequest(schema.ReconcilePage) },
  responses: { 200: json(schema.Reconciled, 'What was found'), ...errorResponsesWithBody('FORBIDDEN') },
})
reconciliation.openapi(postPage, async (c) =>
  c.json({ ...(await reconcilePage(requestContext(c), c.req.valid('json'))) }, 200),
)
