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
import { moveStep, undoStep } from '../../platform/shards/mover/move.ts'
import { readOverview } from '../../platform/shards/mover/overview.ts'
import * as schema from './schema.ts'

/**
 * What `npm run shards` asks for (docs/scaling.md), mounted at /v1/shards. Each request of a move takes some steps and
 * says how far it is.
 */
export const moves = createRouter()

const operator = operatorRoute('shards:move', 'Databases')
const requiresScope = 'Requires a token with the scope `shards:move`.'

const getShards = createRoute({
  method: 'get',
  path: '/',
  operationId: 'getShards',
  summary: 'Get which database has what',
  description: requiresScope,
  ...operator,
  responses: { 200: json(schema.ShardsOverview, 'The databases'), ...errorResponses('FORBIDDEN') },
})
moves.openapi(getShards, async (c) => c.json({ ...(await readOverview(requestContext(c))) }, 200))

const postMove = createRoute({
  method: 'post',
  path: '/move',
  operationId: 'movePartitions',
  summary: 'Take the next steps of moving partitions to a database',
  description: `To be repeated until \`state\` is \`moved\`. A move that is under way goes on, whatever range is asked for. ${requiresScope}`,
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { body: jsonRequest(schema.MoveRange) },
  responses: { 200: json(schema.MoveProgress, 'How far it is'), ...errorResponsesWithBody('FORBIDDEN') },
})
moves.openapi(postMove, async (c) => {
  const { first, last, database } = c.req.valid('json')
  return c.json({ ...(await moveStep(requestContext(c), { first, last }, database)) }, 200)
})

const postUndo = createRoute({
  method: 'post',
  path: '/undo',
  operationId: 'undoMove',
  summary: 'Take the next steps of taking a move back',
  description: `To be repeated while \`state\` is \`moving\` without a \`reason\`. A portion that is open in the target can’t be taken back: \`reason\` says so. ${requiresScope}`,
  ...operator,
  responses: { 200: json(schema.MoveProgress, 'How far it is'), ...errorResponses('FORBIDDEN') },
})
moves.openapi(postUndo, async (c) => c.json({ ...(await undoStep(requestContext(c))) }, 200))
