import { z } from '@hono/zod-openapi'
import { newerSaves } from '../../../platform/db/enumerations.ts'
import { IdInPath, page, plainText, Timestamp } from '../../../platform/http/fields.ts'
import { SLOT } from '../schema.ts'

const MAX_REASON_LENGTH = 500
const MAX_SLOTS = 120

const example = {
  from: 1_795_250_000,
  until: 1_795_257_600,
  newer: 'keep' as const,
  reason: 'Patch 1.4.2 doubled the gold of every chest',
  slots: null,
}

const shape = {
  from: Timestamp.openapi({
    description: 'What was written from then on goes back to before, in Unix seconds',
  }),
  until: Timestamp.openapi({ description: 'What was written from then on does not; not in the future' }),
  newer: z.enum(newerSaves).openapi({
    'x-name': 'NewerSaves',
    description: 'Whether slots that were written since `until` are kept, or go back too',
  }),
  reason: plainText(MAX_REASON_LENGTH).openapi({ description: 'Why, for those who read the list' }),
}

/** The body of a request that recalls saves. */
export const CreateRecall = z
  .object({
    ...shape,
    reason: shape.reason.refine((text) => text.trim() !== '', 'must have a visible character'),
    slots: z.array(z.string().regex(SLOT)).min(1).max(MAX_SLOTS).optional().openapi({
      description:
        'The names of the slots that go back; by default all, without those of the studio’s servers',
    }),
  })
  .openapi('CreateRecall', {
    example: { from: example.from, until: example.until, newer: 'keep', reason: example.reason },
  })
export type CreateRecall = z.output<typeof CreateRecall>

const count = (description: string) => z.int().openapi({ description })

/** The record of a recall. */
export const RecallRecord = z
  .object({
    id: z.string(),
    ...shape,
    slots: z.array(z.string()).nullable().openapi({ description: 'Null: all of the player’s' }),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
    player_count: count('The players of whom a slot went back. All counts are some minutes behind'),
    slot_count: count('The slots that went back'),
    kept_count: count('The slots that stayed, because they were written since'),
    without_earlier_count: count('The slots that stayed, because they have no earlier revision'),
  })
  .openapi('Recall', {
    example: {
      id: '01a9c0de-0000-7000-8000-000000000012',
      ...example,
      created_at: 1_795_257_600,
      ended_at: null,
      player_count: 1_204,
      slot_count: 1_377,
      kept_count: 35,
      without_earlier_count: 12,
    },
  })
export type RecallRecord = z.output<typeof RecallRecord>

/** The answer to a list of recalls. */
export const RecallPage = page({
  recalls: z.array(RecallRecord).openapi({ description: 'Newest first' }),
}).openapi('RecallPage')

/** The id of a recall in a path. */
export const RecallId = z.object({ id: IdInPath })
