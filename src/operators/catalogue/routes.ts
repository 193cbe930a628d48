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
import { readCatalogue, rebuildPart } from './rebuild.ts'
import * as schema from './schema.ts'

/** The endpoints of `npm run catalogue` (docs/catalogue-operations.md), mounted at /v1/catalogue. */
export const catalogue = createRouter()

const operator = operatorRoute('content:reconcile', 'Catalogue')
const requiresScope = 'Requires a token with the scope `content:reconcile`.'

const getCatalogue = createRoute({
  method: 'get',
  path: '/',
  operationId: 'getCatalogue',
  summary: 'Get how many entries the catalogue has, and how many are to be written',
  description: `Counts all of them: a request for operators only. ${requiresScope}`,
  ...operator,
  responses: {
    200: json(schema.CatalogueOverview, 'The figures'),
    ...errorResponses('FORBIDDEN'),
  },
})
catalogue.openapi(getCatalogue, async (c) => c.json(await readCatalogue(requestContext(c)), 200))

const postRebuild = createRoute({
  method: 'post',
  path: '/rebuild',
  operationId: 'writeCatalogue',
  summary: 'Write the next entries of the catalogue anew',
  description: `To be repeated with \`next\` until it is null, for each database. Pages stay as they are meanwhile. ${requiresScope}`,
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { body: jsonRequest(schema.RebuildCatalogue) },
  responses: {
    200: json(schema.CatalogueRebuilt, 'What was rebuilt'),
    ...errorResponsesWithBody('FORBIDDEN'),
  },
})
catalogue.openapi(postRebuild, async (c) =>
  c.json(await rebuildPart(requestContext(c), c.req.valid('json')), 200),
)
