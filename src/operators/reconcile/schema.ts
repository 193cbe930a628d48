import { z } from '@hono/zod-openapi'
import { DatabaseName } from '../../platform/http/fields.ts'
import { problems, stages } from './names.ts'

const Stage = z.enum(stages).openapi({ 'x-name': 'ReconcileStage', example: 'files' })

const MAX_AFTER_LENGTH = 2_048

/** A request for a page, with the members of `PageRequest`. */
export const ReconcilePage = z
  .object({
    database: DatabaseName,
    stage: Stage,
    after: z
      .string()
      .max(MAX_AFTER_LENGTH)
      .default('')
      .openapi({ description: 'The `next` of the previous page; empty for the first page' }),
    repair: z.boolean().default(false).openapi({ description: 'Whether to repair findings where possible' }),
    accept_missing: z
      .boolean()
      .default(false)
      .openapi({ description: 'Whether to mark missing content even on a page where much of it is missing' }),
  })
  .openapi('ReconcilePage', { example: { database: 'DB', stage: 'files', after: '', repair: false } })

const ReconcileFinding = z
  .object({
    problem: z.enum(problems).openapi({ 'x-name': 'ReconcileProblem', example: 'content_is_missing' }),
    id: z.string().openapi({ description: 'The id of the row, the key of the object, or the user' }),
    owner_id: z.string().optional(),
    object_key: z.string().optional(),
    detail: z.string().optional(),
    is_repaired: z.boolean(),
  })
  .openapi('ReconcileFinding', {
    example: {
      problem: 'content_is_missing',
      id: '019a7e2d-1c40-7000-8f21-63d0a9b7e415',
      owner_id: 'ada',
      object_key: '019a7e2d-0a11-7000-8f21-5b1c2d3e4f50',
      is_repaired: false,
    },
  })
export type ReconcileFinding = z.output<typeof ReconcileFinding>

/** The findings of a page, with the members of `ComparedPage`. */
export const Reconciled = z
  .object({
    looked_at: z.int().openapi({ description: 'How many rows or objects were compared', example: 1_000 }),
    next: z.string().nullable().openapi({
      description: 'The `after` of the next page; null after the last page',
      example: '019a7e2d-1c40-7000-8f21-63d0a9b7e415',
    }),
    found: z.array(ReconcileFinding).openapi({ description: 'The differences that were found' }),
    refused: z.string().optional().openapi({
      description: 'Why the page was not repaired: the configuration is probably wrong',
    }),
  })
  .openapi('Reconciled')

/** The databases and the stages to compare. */
export const ReconcileExtent = z
  .object({ databases: z.array(DatabaseName), stages: z.array(Stage) })
  .openapi('ReconcileExtent', { example: { databases: ['DB'], stages: [...stages] } })
