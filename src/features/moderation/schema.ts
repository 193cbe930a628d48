import { z } from '@hono/zod-openapi'
import { isUserId } from '../../platform/auth/caller.ts'
import {
  appealStates,
  appellants,
  decisionActions,
  decisionGrounds,
  reportCategories,
  targetTypes,
} from '../../platform/db/enumerations.ts'
import {
  Id,
  IdInPath,
  KnownUserId,
  page,
  plainText,
  plainTextInWords,
  Timestamp,
} from '../../platform/http/fields.ts'
import { isVisible } from '../../platform/lib/text.ts'
import { AssetRating } from '../assets/schema.ts'

const [MAX_REPORT, MAX_STATEMENT] = [2_000, 5_000]

/** Plain text with at least one visible character. */
export function statementText(max: number) {
  return plainText(max)
    .refine(isVisible, 'must have a visible character')
    .openapi({ type: 'string', minLength: 1, maxLength: max, description: plainTextInWords })
}

const TargetType = z.enum(targetTypes).openapi({ 'x-name': 'TargetType' })
export const Category = z.enum(reportCategories).openapi({ 'x-name': 'ReportCategory' })
export const Action = z.enum(decisionActions).openapi({ 'x-name': 'DecisionAction' })
export const Ground = z.enum(decisionGrounds).openapi({ 'x-name': 'DecisionGround' })
const AppealState = z.enum(appealStates).openapi({ 'x-name': 'AppealState' })

/** What a report, a case or a decision is about. */
export const Target = z
  .object({
    type: TargetType,
    id: z
      .string()
      .min(1)
      .max(128)
      .openapi({ description: 'The id of the asset or the file, or the `sub` of the user’s tokens' }),
  })
  .superRefine(({ type, id }, context) => {
    if (type === 'user' && !isUserId(id))
      context.addIssue({ code: 'custom', path: ['id'], message: 'must be the id of a user' })
  })
  .openapi('Target', { example: { type: 'asset', id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' } })
export type Target = z.output<typeof Target>

/** The body of a report. */
export const CreateReport = z
  .object({
    target: Target,
    category: Category,
    text: statementText(MAX_REPORT)
      .nullish()
      .openapi({
        type: ['string', 'null'],
        maxLength: MAX_REPORT,
        description: 'Required with `is_illegal` and with the category `other`',
      }),
    is_illegal: z.boolean().default(false).openapi({
      description: 'The reporter considers it illegal (Digital Services Act, article 16)',
    }),
  })
  .superRefine(({ category, text, is_illegal }, context) => {
    if ((is_illegal || category === 'other') && (text ?? null) === null)
      context.addIssue({ code: 'custom', path: ['text'], message: 'must say what is wrong' })
  })
  .openapi('CreateReport', {
    example: {
      target: { type: 'asset', id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' },
      category: 'hate',
      text: 'A slogan on the wall of the second room.',
      is_illegal: false,
    },
  })
export type CreateReport = z.output<typeof CreateReport>

/** An appeal against a decision. */
export const Appeal = z
  .object({
    id: Id,
    decision_id: Id,
    by: z.enum(appellants).openapi({ 'x-name': 'Appellant' }),
    text: z.string(),
    state: AppealState,
    answer: z.string().nullable().openapi({ description: 'What the moderator answered' }),
    created_at: Timestamp,
    decided_at: Timestamp.nullable(),
  })
  .openapi({
    'x-name': 'Appeal',
    example: {
      id: '019a7e3a-5c1f-7000-9d47-2b6e9f0a1c38',
      decision_id: '019a7e39-1c1f-7000-9d47-2b6e9f0a1c37',
      by: 'owner',
      text: 'The wall shows the sign of my guild.',
      state: 'open',
      answer: null,
      created_at: 1_795_261_200,
      decided_at: null,
    },
  })
export type Appeal = z.output<typeof Appeal>

/** What became of a report. */
const Outcome = z
  .object({
    id: Id,
    action: Action,
    created_at: Timestamp,
    appeal: Appeal.nullable().openapi({ description: 'The reporter’s own appeal' }),
  })
  .openapi({ 'x-name': 'ReportOutcome' })

/** One player’s notice about one thing. */
export const Report = z
  .object({
    id: Id,
    target: Target,
    category: Category,
    text: z.string().nullable(),
    is_illegal: z.boolean(),
    state: z.enum(['open', 'decided']).openapi({ 'x-name': 'ReportState' }),
    created_at: Timestamp,
    decided_at: Timestamp.nullable(),
    decision: Outcome.nullable(),
  })
  .openapi('Report', {
    example: {
      id: '019a7e38-5c1f-7000-9d47-2b6e9f0a1c36',
      target: { type: 'asset', id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' },
      category: 'hate',
      text: 'A slogan on the wall of the second room.',
      is_illegal: false,
      state: 'open',
      created_at: 1_795_257_600,
      decided_at: null,
      decision: null,
    },
  })
export type Report = z.output<typeof Report>

export const ReportPage = page({
  reports: z.array(Report).openapi({ description: 'Newest first' }),
}).openapi('ReportPage')

const decisionExample = {
  id: '019a7e39-1c1f-7000-9d47-2b6e9f0a1c37',
  target: { type: 'asset', id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' },
  name: 'Maze',
  owner_id: 'dora',
  action: 'unlist',
  ground: 'terms',
  rule: 'Terms of use, 4.2',
  statement: 'The second room shows a slogan against a group of people. Remove it, and tell us.',
  rating: null,
  is_automated: false,
  created_at: 1_795_260_000,
  lifted_at: null,
  appealable_until: 1_811_071_200,
  appeal: null,
}

/** What a moderator decided, as the owner of the thing sees it. */
export const Decision = z
  .object({
    id: Id,
    target: Target,
    name: z
      .string()
      .nullable()
      .openapi({ description: 'The name of the thing at that time; null for a user' }),
    owner_id: KnownUserId.nullable().openapi({ description: 'null: the owner has been erased' }),
    action: Action,
    ground: Ground,
    rule: z.string().nullable().openapi({ description: 'The law or the clause' }),
    statement: z.string().openapi({ description: 'The facts and the reasons' }),
    rating: AssetRating.nullable().openapi({ description: 'With `rate`: what the asset is rated' }),
    is_automated: z.boolean(),
    created_at: Timestamp,
    lifted_at: Timestamp.nullable().openapi({ description: 'null: it is in force' }),
    appealable_until: Timestamp,
    appeal: Appeal.nullable(),
  })
  .openapi('Decision', {
    example: decisionExample,
  })
export type Decision = z.output<typeof Decision>

/** A decision as moderators see it. */
export const ModeratorsDecision = z
  .object({
    ...Decision.shape,
    moderator_id: KnownUserId.nullable().openapi({
      description: 'null: the service itself, or a moderator who has been erased',
    }),
    note: z.string().nullable(),
  })
  .openapi({
    'x-name': 'ModeratorsDecision',
    example: { ...decisionExample, moderator_id: 'moderator-7', note: 'The third time.' },
  })
export type ModeratorsDecision = z.output<typeof ModeratorsDecision>

export const DecisionPage = page({
  decisions: z.array(Decision).openapi({ description: 'Newest first' }),
}).openapi('DecisionPage')

/** The body of an appeal. */
export const CreateAppeal = z
  .object({ text: statementText(MAX_STATEMENT) })
  .openapi('CreateAppeal', { example: { text: 'The wall shows the sign of my guild.' } })

/** The id of a report or a decision in a path. */
export const InPath = z.object({ id: IdInPath })

/** The texts of moderators. */
export const StatementText = statementText(MAX_STATEMENT)
