import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { stages } from './names.ts'
import { reconcilePage } from './reconcile.ts'
import * as schema from './schema.ts'

/** The endpoints of `npm run reconcile` (docs/going-back.md). */
export const router = new Router('Reconciliation', requestContext)

route(router, 'GET /v1/reconcile', 'getReconcileExtent', {
  summary: 'Get the databases and stages to compare',
  description:
    'Returns the stages in the order in which they are to be compared. Stages that protect content come first.',
  scope: 'content:reconcile',
  answers: { 200: [schema.ReconcileExtent, 'The databases and the stages'] },
  handle: (ctx) => ({ databases: ctx.databases.names, stages: [...stages] }),
})

route(router, 'POST /v1/reconcile', 'reconcilePage', {
  summary: 'Compare a page of rows and objects',
  description: 'The service may run meanwhile. Answers UNAVAILABLE while partitions are moved.',
  scope: 'content:reconcile',
  audit: ({ body }) => (body.repair || body.accept_missing ? {} : undefined),
  body: schema.ReconcilePage,
  answers: { 200: [schema.Reconciled, 'The findings of the page'] },
  handle: (ctx, { body }) => reconcilePage(ctx, body),
})
