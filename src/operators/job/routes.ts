import { jobHistoryOf } from '../../platform/config/namespaces.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { JobOverview } from './schema.ts'

/** What the scheduled job did (docs/operating.md#what-the-job-did). The object that runs it keeps its history. */
export const router = new Router('Job', (c) => ({
  ...requestContext(c),
  historyOf: (database: string) => jobHistoryOf(c.env, c.get('config'), database),
}))

route(router, 'GET /v1/job', 'getJob', {
  summary: 'Get what the job did',
  description: 'Returns the last runs of the job of each database, and since when something waits.',
  scope: 'job:read',
  answers: { 200: [JobOverview, 'What the job did'] },
  handle: async ({ databases, historyOf }) => ({
    databases: await pooled(databases.names, async (database) => ({
      database,
      ...(await historyOf(database)),
    })),
  }),
})
