import { z } from '@hono/zod-openapi'
import { DatabaseName, Timestamp } from '../../platform/http/fields.ts'

const JobRuns = z
  .object({
    runs: z.int().openapi({
      description:
        'How many consecutive runs this is: those that worked off one backlog, or that changed nothing, are together',
    }),
    started_at: Timestamp.openapi({ description: 'When the first of them began' }),
    ended_at: Timestamp.openapi({ description: 'When the last of them ended' }),
    state: z.enum(['done', 'backlog', 'failed', 'moving', 'off']).openapi({
      'x-name': 'JobState',
      description:
        'What waits after the last of them. `done`: nothing. `backlog`: there is more to do, and the next run follows at once. `failed`: a task failed, and the next run tries it again. `moving`: partitions are being moved from or to the database. `off`: the variable JOB is `off`',
    }),
    done: z
      .record(z.string(), z.int())
      .openapi({ description: 'How much each task processed, by the names of docs/operating.md' }),
    failed: z.array(z.string()).openapi({ description: 'The tasks that failed in the last of them' }),
    queries: z.int().openapi({ description: 'Statements sent to D1' }),
    calls: z.int().openapi({ description: 'Calls to R2 and to Durable Objects' }),
  })
  .openapi('JobRuns')

/** What the job of each database did, and what waits. */
export const JobOverview = z
  .object({
    databases: z.array(
      z
        .object({
          database: DatabaseName,
          waiting_since: Timestamp.nullable().openapi({
            description: 'Since when something waits without a break; null: nothing does',
          }),
          runs: z.array(JobRuns).openapi({ description: 'The latest first, up to 20' }),
        })
        .openapi('JobOfDatabase'),
    ),
  })
  .openapi('JobOverview', {
    example: {
      databases: [
        {
          database: 'DB',
          waiting_since: null,
          runs: [
            {
              runs: 1,
              started_at: 1_795_257_600,
              ended_at: 1_795_257_601,
              state: 'done',
              done: { uploads_expired: 2 },
              failed: [],
              queries: 61,
              calls: 4,
            },
          ],
        },
      ],
    },
  })
export type JobOverview = z.output<typeof JobOverview>
