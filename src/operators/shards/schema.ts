import { z } from '@hono/zod-openapi'
import { DatabaseName } from '../../platform/http/fields.ts'
import { moveStages } from './mover/names.ts'

const Partition = z
  .string()
  .regex(/^[0-9a-f]{3}$/, 'must be three hexadecimal digits')
  .openapi({
    'x-name': 'Partition',
    'x-description': 'A part of all users, by a hash of their ids: three hexadecimal digits',
    example: '800',
  })

/** The partitions to move, and their target. */
export const MoveRange = z
  .object({
    first: Partition,
    last: Partition.openapi({ description: 'Not before `first`' }),
    database: DatabaseName,
  })
  .refine(({ first, last }) => first <= last, {
    path: ['last'],
    message: 'must not come before `first`',
    // Text that is no partition gets that error alone.
    when: ({ issues }) => issues.length === 0,
  })
  .openapi('MoveRange', { example: { first: '800', last: '8ff', database: 'DB_1' } })

const MoveStage = z.enum(moveStages).openapi({ 'x-name': 'MoveStage', example: 'copy' })

const OpenedPortion = z
  .object({
    partitions: z.int(),
    rows: z.int(),
    ms: z
      .int()
      .openapi({ description: 'How long the users of the portion could not write, in milliseconds' }),
  })
  .openapi('OpenedPortion', { example: { partitions: 16, rows: 4_210, ms: 640 } })

/** The progress of a move. */
export const MoveProgress = z
  .object({
    state: z.enum(['moving', 'moved', 'undone', 'idle', 'waiting']).openapi({
      description:
        '`moving`: partitions of the range are left. `moved`: the target has every partition of the range. `undone`: the last portion was undone, for `reason`. `idle`: no move is under way. `waiting`: the job of the database `job_of` has its turn; repeat the request later',
    }),
    job_of: DatabaseName.optional(),
    stage: MoveStage.optional(),
    source: DatabaseName.optional(),
    target: DatabaseName.optional(),
    partitions_left: z
      .int()
      .openapi({ description: 'Partitions of the range that the target does not have yet' }),
    rows_copied: z.int().optional().openapi({ description: 'Rows copied of the current portion' }),
    opened: z
      .array(OpenedPortion)
      .openapi({ description: 'Portions that this request opened in the target' }),
    reason: z.string().optional(),
  })
  .openapi('MoveProgress', {
    example: {
      state: 'moving',
      stage: 'copy',
      source: 'DB',
      target: 'DB_1',
      partitions_left: 240,
      rows_copied: 2_000,
      opened: [{ partitions: 16, rows: 4_210, ms: 640 }],
    },
  })
export type MoveProgress = z.output<typeof MoveProgress>

const PartitionBlock = z
  .object({
    first: Partition,
    last: Partition,
    users: z.int(),
    rows: z.int(),
    bytes: z.int().openapi({ description: 'An estimate from the average size of rows' }),
    seconds: z.int().openapi({ description: 'An estimate of how long moving them takes' }),
  })
  .openapi('PartitionBlock', {
    example: { first: '800', last: '8ff', users: 61_200, rows: 902_000, bytes: 410_000_000, seconds: 316 },
  })

const DatabaseOverview = z
  .object({
    database: DatabaseName,
    bytes: z
      .int()
      .nullable()
      .openapi({ description: 'The size of the database; null when D1 has not reported it' }),
    users: z.int(),
    rows: z.int().openapi({ description: 'By the users’ counters' }),
    blocks: z.array(PartitionBlock).openapi({ description: 'Ranges of consecutive partitions' }),
  })
  .openapi('DatabaseOverview')

/** The partitions of each database, and the move that is under way. */
export const ShardsOverview = z
  .object({
    databases: z.array(DatabaseOverview),
    move: z
      .object({
        source: DatabaseName,
        target: DatabaseName,
        stage: MoveStage,
        partitions: z.int(),
        rows_copied: z.int(),
      })
      .openapi({ 'x-name': 'MoveUnderWay' })
      .nullable()
      .openapi({ description: 'null: no move is under way' }),
  })
  .openapi('ShardsOverview', {
    example: {
      databases: [
        {
          database: 'DB',
          bytes: 6_100_000_000,
          users: 61_200,
          rows: 902_000,
          blocks: [
            { first: '800', last: '8ff', users: 61_200, rows: 902_000, bytes: 410_000_000, seconds: 316 },
          ],
        },
      ],
      move: null,
    },
  })
export type ShardsOverview = z.output<typeof ShardsOverview>
