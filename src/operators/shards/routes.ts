import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { moveStep, undoStep } from './mover/move.ts'
import { readOverview } from './mover/overview.ts'
import * as schema from './schema.ts'

/**
 * The endpoints of `npm run shards` (docs/scaling.md). Each request for a move takes some of its steps and
 * returns the progress.
 */
export const router = new Router('Databases', requestContext)

route(router, 'GET /v1/shards', 'getShards', {
  summary: 'Get the partitions of each database',
  description: 'Also returns the move that is under way.',
  scope: 'shards:move',
  answers: { 200: [schema.ShardsOverview, 'The databases with their partitions'] },
  handle: (ctx) => readOverview(ctx),
})

route(router, 'POST /v1/shards/move', 'movePartitions', {
  summary: 'Take the next steps of moving partitions to a database',
  description:
    'To be repeated until `state` is `moved`. Continues a move that is under way, even if it has another range.',
  scope: 'shards:move',
  body: schema.MoveRange,
  answers: { 200: [schema.MoveProgress, 'The progress of the move'] },
  handle: (ctx, { body: { first, last, database } }) => moveStep(ctx, { first, last }, database),
})

route(router, 'POST /v1/shards/undo', 'undoMove', {
  summary: 'Take the next steps of undoing a move',
  description:
    'To be repeated while `state` is `moving` without a `reason`. A portion that is open in the target can’t be undone; `reason` is then set.',
  scope: 'shards:move',
  answers: { 200: [schema.MoveProgress, 'The progress of the move'] },
  handle: (ctx) => undoStep(ctx),
})
