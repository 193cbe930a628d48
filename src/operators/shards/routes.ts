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
import { moveStep, undoStep } from './mover/move.ts'
import { readOverview } from './mover/overview.ts'
import * as schema from './schema.ts'

/**
 * The endpoints of `npm run shards` (docs/scaling.md), mounted at /v1/shards. Each request for a move takes some of its steps
 * and returns the progress.
 */
export const shards = createRouter()

const operator = operatorRoute('shards:move', 'Databases')
const requiresScope = 'Requires a token with the scope `shards:move`.'

const getShards = createRoute({
  method: 'get',
  path: '/',
  operationId: 'getShards',
  summary: 'Get the partitions of each database',
  description: `Also returns the move that is under way. ${requiresScope}`,
  ...operator,
  responses: {
    200: json(schema.ShardsOverview, 'The databases with their partitions'),
    ...errorResponses('FORBIDDEN'),
  },
})
shards.openapi(getShards, async (c) => c.json({ ...(await readOverview(requestContext(c))) }, 200))

const postMove = createRoute({
  method: 'post',
  path: '/move',
  operationId: 'movePartitions',
  summary: 'Take the next steps of moving partitions to a database',
  description: `To be repeated until \`state\` is \`moved\`. Continues a move that is under way, even if it has another range. ${requiresScope}`,
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { body: jsonRequest(schema.MoveRange) },
  responses: {
    200: json(schema.MoveProgress, 'The progress of the move'),
    ...errorResponsesWithBody('FORBIDDEN'),
  },
})
shards.openapi(postMove, async (c) => {
  const { first, last, database } = c.req.valid('json')
  return c.json({ ...(await moveStep(requestContext(c), { first, last }, database)) }, 200)
})

const postUndo = createRoute({
  method: 'post',
  path: '/undo',
  operationId: 'undoMove',
  summary: 'Take the next steps of undoing a move',
  description: `To be repeated while \`state\` is \`moving\` without a \`reason\`. A portion that is open in the target can’t be undone; \`reason\` is then set. ${requiresScope}`,
  ...operator,
  responses: { 200: json(schema.MoveProgress, 'The progress of the move'), ...errorResponses('FORBIDDEN') },
})
shards.openapi(postUndo, async (c) => c.json({ ...(await undoStep(requestContext(c))) }, 200))
