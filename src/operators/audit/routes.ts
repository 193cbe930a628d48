import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { listEntries } from './list.ts'
import * as schema from './schema.ts'

/** What was done under a scope (docs/helping-players.md#what-was-done). */
export const router = new Router('Operators', requestContext)

route(router, 'GET /v1/audit', 'listAuditEntries', {
  summary: 'List what was done under a scope, newest first',
  description:
    'An entry for each request under a scope that changes something, also for a refused one. Publishing notifications and verdicts on content leave none. A page may be shorter than its limit.',
  scope: 'audit:read',
  query: schema.ListAudit,
  answers: { 200: [schema.AuditPage, 'A page of entries'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listEntries(ctx, query)
    return { entries: rows, next_cursor }
  },
})
