import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { readCatalogue, rebuildPart } from './rebuild.ts'
import * as schema from './schema.ts'

/** The endpoints of `npm run catalogue` (docs/scaling.md#the-catalogue). */
export const router = new Router('Catalogue', requestContext)

route(router, 'GET /v1/catalogue', 'getCatalogue', {
  summary: 'Get how many entries the catalogue has, and how many are to be written',
  description: 'Counts all of them: a request for operators only.',
  scope: 'content:reconcile',
  answers: { 200: [schema.CatalogueOverview, 'The figures'] },
  handle: (ctx) => readCatalogue(ctx),
})

route(router, 'POST /v1/catalogue/rebuild', 'writeCatalogue', {
  summary: 'Write the next entries of the catalogue anew',
  description:
    'To be repeated with `next` until it is null, for each database. Pages stay as they are meanwhile.',
  scope: 'content:reconcile',
  body: schema.RebuildCatalogue,
  answers: { 200: [schema.CatalogueRebuilt, 'What was rebuilt'] },
  handle: (ctx, { body }) => rebuildPart(ctx, body),
})
