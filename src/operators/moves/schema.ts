import { z } from '@hono/zod-openapi'
import { DatabaseName } from '../../platform/http/fields.ts'
import { moveStages } from '../../platform/shards/mover/names.ts'

const Partition = z
  .string()
  .regex(/^[0-9a-f]{3}$/, 'must be three hexadecimal digits')
  .openapi({
    'x-name': 'Partition',
    'x-description': 'A part of all users, by a hash of their ids: three hexadecimal digits',
    example: '800',
  })

/** Which partitions are to be moved, and where to. */
export const MoveRange = z
  .object({
    first: Partition,
    last: Partition.openapi({ description: 'Not before `first`' }),
    database: DatabaseName,
  })
  .refine(({ first, last }) => first <= last, { path: ['last'], message: 'must not come before `first`' })
  .openapi('MoveRange', { example: { first: '800', last: '8ff', database: 'DB_1' } })

const MoveStage = z.enum(moveStages).openapi({ 'x-name': 'MoveStage', example: 'copy' })

const OpenedPortion = z
  .object({
    partitions: z.int(),
    rows: z.int(),
    ms: z.int().openapi({ description: 'How long its users could not write, in milliseconds' }),
  })
  .openapi('OpenedPortion', { example: { partitions: 16, rows: 4_210, ms: 640 } })

/** How far a move is. */
export const MoveProgress = z
  .object({
    state: z.enum(['moving', 'moved', 'undone', 'idle', 'waiting']).openapi({
      description:
        '`moved`: every partition of the range is there. `undone`: the last portion has been taken back, for `reason`. `idle`: no move is under way. `waiting`: the job of `job_of` has its turn; ask again later',
    }),
    job_of: DatabaseName.optional(),
    stage: MoveStage.optional(),
    source: DatabaseName.optional(),
    target: DatabaseName.optional(),
    partitions_left: z.int().openapi({ description: 'Partitions of the range that are not there yet' }),
    rows_copied: z.int().optional().openapi({ description: 'Of the portion that is under way' }),
    opened: z
      .array(OpenedPortion)
      .openapi({ description: 'Portions that this request has opened in the target' }),
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
    bytes: z.int().openapi({ description: 'An estimate by what rows take' }),
    seconds: z.int().openapi({ description: 'An estimate of what moving them takes' }),
  })
  .openapi('PartitionBlock', {
    example: { first: '800', last: '8ff', users: 61_200, rows: 902_000, bytes: 410_000_000, seconds: 316 },
  })

const DatabaseOverview = z
  .object({
    database: DatabaseName,
    bytes: z.int().nullable().openapi({ description: 'Its size; null when it has not said' }),
    users: z.int(),
    rows: z.int().openapi({ description: 'By the users’ counters' }),
    blocks: z.array(PartitionBlock).openapi({ description: 'Partitions that follow each other' }),
  })
  .openapi('DatabaseOverview')

/** Which database has what, and the move that is under way. */
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
