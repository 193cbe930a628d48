import { concerns } from '../../../platform/http/audited.ts'
import { PageQuery } from '../../../platform/http/fields.ts'
import { requestContext } from '../../../platform/http/request-context.ts'
import { created, Router, route } from '../../../platform/http/route.ts'
import { createRecall, endRecall, listRecalls } from './create.ts'
import { recallRecord } from './row.ts'
import * as schema from './schema.ts'

/** Recalls of saves (docs/conformance.md#recalls-of-saves). */
export const router = new Router('Recalls', requestContext)

route(router, 'POST /v1/recalls', 'createRecall', {
  summary: 'Take the saves of all players back to before a time',
  description:
    'Each player’s saves apply it once, when they are next listed, read or written: within a minute everywhere. What goes back is a new revision with `recall_id`; what it replaces stays in the history. An Idempotency-Key holds for good.',
  scope: 'saves:recall',
  idempotent: true,
  audit: ({ body }) => ({ reason: body.reason }),
  body: schema.CreateRecall,
  answers: { 201: [schema.RecallRecord, 'The recall'] },
  errors: ['LIMIT_REACHED'],
  handle: async (ctx, { body, key }, c) => {
    const row = await createRecall(ctx, body, key)
    concerns(c, null, row.id)
    return created(recallRecord(row))
  },
})

route(router, 'GET /v1/recalls', 'listRecalls', {
  summary: 'List the recalls of saves, newest first',
  description: 'Those that have ended are in the list, too.',
  scope: 'saves:recall',
  query: PageQuery,
  answers: { 200: [schema.RecallPage, 'A page of recalls'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listRecalls(ctx, query)
    return { recalls: rows.map(recallRecord), next_cursor }
  },
})

route(router, 'DELETE /v1/recalls/{id}', 'endRecall', {
  summary: 'End a recall of saves',
  description: 'It goes on for nobody whom it has not reached. Ending it again changes nothing.',
  scope: 'saves:recall',
  params: schema.RecallId,
  answers: { 204: 'The recall has ended' },
  errors: ['RECALL_NOT_FOUND'],
  handle: (ctx, { params }) => endRecall(ctx, params.id),
})
