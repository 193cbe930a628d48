import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import {
  createRouter,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  operatorRoute,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { stages } from './names.ts'
import { reconcilePage } from './reconcile.ts'
import * as schema from './schema.ts'

/** The endpoints of `npm run reconcile` (docs/reconcile.md), mounted at /v1/reconcile. */
export const reconciliation = createRouter()

const operator = operatorRoute('content:reconcile', 'Reconciliation')
const requiresScope = 'Requires a token with the scope `content:reconcile`.'

const getExtent = createRoute({
  method: 'get',
  path: '/',
  operationId: 'getReconcileExtent',
  summary: 'Get the databases and stages to compare',
  description: `Returns the stages in the order in which they are to be compared. Stages that protect content come first. ${requiresScope}`,
  ...operator,
  responses: {
    200: json(schema.ReconcileExtent, 'The databases and the stages'),
    ...errorResponses('FORBIDDEN'),
  },
})
reconciliation.openapi(getExtent, (c) =>
  c.json({ databases: requestContext(c).databases.names, stages: [...stages] }, 200),
)

const postPage = createRoute({
  method: 'post',
  path: '/',
  operationId: 'reconcilePage',
  summary: 'Compare a page of rows and objects',
  description: `The service may run meanwhile. Answers UNAVAILABLE while partitions are moved. ${requiresScope}`,
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { body: jsonRequest(schema.ReconcilePage) },
  responses: {
    200: json(schema.Reconciled, 'The findings of the page'),
    ...errorResponsesWithBody('FORBIDDEN'),
  },
})
reconciliation.openapi(postPage, async (c) =>
  c.json({ ...(await reconcilePage(requestContext(c), c.req.valid('json'))) }, 200),
)
