import { z } from '@hono/zod-openapi'
import { AssetRating } from '../../features/assets/schema.ts'
import { Platform, VersionNumber } from '../../features/assets/version-schema.ts'
import {
  Action,
  Appeal,
  Category,
  Ground,
  ModeratorsDecision,
  Report,
  StatementText,
  statementText,
  Target,
} from '../../features/moderation/schema.ts'
import { blockedKinds, caseStates, reportCategories } from '../../platform/db/enumerations.ts'
import {
  Cursor,
  Id,
  IdInPath,
  KnownUserId,
  PageLimit,
  page,
  Timestamp,
  UserId,
} from '../../platform/http/fields.ts'
import { integer } from '../../platform/lib/integer.ts'

const Kind = z.enum(blockedKinds).openapi({ 'x-name': 'BlockedKind' })

const MAX_REASON_LENGTH = 500

/** Why an item is blocked. Only moderators see the reason. */
export const BlockReason = z
  .object({
    reason: z
      .string()
      .refine((text) => !text.includes('\u0000'), 'must not hold the character U+0000 (NUL)')
      .refine((text) => text.isWellFormed(), 'must not hold half of a surrogate pair')
      .refine(
        (text) => [...text].length <= MAX_REASON_LENGTH,
        `must have at most ${MAX_REASON_LENGTH} characters`,
      )
      .nullish()
      .openapi({
        type: ['string', 'null'],
        maxLength: MAX_REASON_LENGTH,
        description: 'Shown to moderators only. When absent, an earlier reason stays; null removes it',
      }),
    statement: StatementText.optional().openapi({
      description:
        'The facts and the reasons, for the owner: the block is then a decision, which takes the place of the one in force',
    }),
    ground: Ground.optional().openapi({ description: 'Of the decision; `terms` by default' }),
  })
  .openapi('BlockReason', { example: { reason: 'Reported by three players' } })

export const ListBlocked = z.object({
  kind: Kind.optional().openapi({ description: 'Only files (and folders), or only game assets' }),
  owner_id: UserId.optional().openapi({ description: 'Only what this user owns' }),
  limit: PageLimit,
  cursor: Cursor,
})
export type ListBlocked = z.output<typeof ListBlocked>

/** A blocked file, folder or asset, with the moderator, the time and the reason of the block. */
export const BlockedContent = z
  .object({
    kind: Kind,
    id: Id,
    owner_id: KnownUserId,
    name: z.string(),
    blocked_at: Timestamp,
    blocked_by: KnownUserId.nullable().openapi({
      description:
        'The moderator. null: the item left a blocked folder and stayed blocked, or the moderator has been erased',
    }),
    reason: z.string().nullable(),
  })
  .openapi('BlockedContent', {
    example: {
      kind: 'files',
      id: '019a7e2d-1c40-7000-8f21-63d0a9b7e415',
      owner_id: 'ada',
      name: 'forest.png',
      blocked_at: 1_795_261_200,
      blocked_by: 'moderator-7',
      reason: 'Reported by three players',
    },
  })
export type BlockedContent = z.output<typeof BlockedContent>

export const BlockedPage = page({
  blocked: z.array(BlockedContent).openapi({ description: 'Latest block first' }),
}).openapi('BlockedPage')

const CaseState = z.enum(caseStates).openapi({ 'x-name': 'CaseState' })

/** The query of the queue. */
export const ListCases = z.object({
  state: CaseState.default('open').openapi({
    description:
      '`appealed`: an appeal is open. `decided`: the last decision stands or was lifted, and nothing is newer. `open`: everything else',
  }),
  category: Category.optional().openapi({ description: 'Only cases that were reported for it' }),
  owner_id: UserId.optional().openapi({ description: 'Only cases about this user and what they own' }),
  sort: z.enum(['oldest', 'reports']).default('oldest').openapi({
    'x-name': 'CaseSort',
    description: '`oldest`: by the first open report or the appeal. `reports`: most open reports first',
  }),
  limit: PageLimit,
  cursor: Cursor,
})
export type ListCases = z.output<typeof ListCases>

const caseExample = {
  id: '019a7e38-5c1f-7000-9d47-2b6e9f0a1c39',
  target: { type: 'asset', id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' },
  name: 'Maze',
  owner_id: 'dora',
  state: 'open',
  report_count: 3,
  categories: { hate: 2, spam: 1 },
  is_illegal: false,
  first_reported_at: 1_795_257_600,
  last_reported_at: 1_795_259_000,
  decision: null,
  appeal: null,
}

/** Everything about one thing that was reported, in a line. */
export const Case = z
  .object({
    id: Id,
    target: Target,
    name: z.string().nullable().openapi({ description: 'null: the thing is gone, or it is a user' }),
    owner_id: KnownUserId.nullable().openapi({ description: 'null: the owner has been erased' }),
    state: CaseState,
    report_count: z.int().openapi({ description: 'Open reports' }),
    categories: z
      .partialRecord(z.enum(reportCategories), z.int())
      .openapi({ description: 'Open reports by category', type: 'object' }),
    is_illegal: z.boolean().openapi({ description: 'An open report says that it is illegal' }),
    first_reported_at: Timestamp.nullable().openapi({ description: 'Of the open reports' }),
    last_reported_at: Timestamp.nullable(),
    decision: ModeratorsDecision.nullable().openapi({
      description: 'The last one; `lifted_at` says whether it stands',
    }),
    appeal: Appeal.nullable().openapi({ description: 'Against the last decision' }),
  })
  .openapi('Case', {
    example: caseExample,
  })
export type Case = z.output<typeof Case>

export const CasePage = page({ cases: z.array(Case) }).openapi('CasePage')

const reportExample = {
  id: '019a7e38-5c1f-7000-9d47-2b6e9f0a1c36',
  target: caseExample.target,
  category: 'hate',
  text: 'A slogan on the wall of the second room.',
  is_illegal: false,
  state: 'open',
  created_at: 1_795_257_600,
  decided_at: null,
  decision: null,
  reporter_id: 'bob',
}

/** A report as moderators see it. */
const ReportOfCase = Report.extend({
  reporter_id: KnownUserId.nullable().openapi({ description: 'null: the reporter has been erased' }),
}).openapi('ReportOfCase', { example: reportExample })

/** A case with what a decision needs. */
export const WholeCase = Case.extend({
  reports: z.array(ReportOfCase).openapi({ description: 'The newest 100, the newest first' }),
  earlier: z
    .array(ModeratorsDecision)
    .openapi({ description: 'The last 20 decisions about the same owner, the last first' }),
}).openapi('WholeCase', { example: { ...caseExample, reports: [reportExample], earlier: [] } })

export const OpenCase = z.object({ target: Target }).openapi('OpenCase')

/** Why a moderator looks at content. */
export const ContentReason = z
  .object({
    reason: statementText(MAX_REASON_LENGTH).openapi({ description: 'Why, for the audit' }),
    version: VersionNumber.optional().openapi({
      type: 'integer',
      description: 'Of an asset; omitted: the version that players get',
    }),
    platform: Platform.optional().openapi({
      description: 'Of an asset: the platform whose content is wanted; omitted: the version’s own content',
    }),
  })
  .openapi('ContentReason', { example: { reason: 'Report 019a7e38: is the slogan in the file?' } })
export type ContentReason = z.output<typeof ContentReason>

const [MAX_RULE, MAX_NOTE] = [200, 2_000]

/** The body of a decision. */
export const CreateDecision = z
  .object({
    action: Action.openapi({
      description:
        '`none`, `warn`, `rate` (sets `rating` and locks it), `unlist` (out of the catalogue), `block`. A user takes `none` and `warn`, a file also `block`',
    }),
    ground: Ground.openapi({ description: 'A law, or the terms of the game' }),
    rule: statementText(MAX_RULE)
      .nullish()
      .openapi({ type: ['string', 'null'], maxLength: MAX_RULE, description: 'The law or the clause' }),
    statement: StatementText.openapi({ description: 'The facts and the reasons, for the owner' }),
    note: statementText(MAX_NOTE)
      .nullish()
      .openapi({ type: ['string', 'null'], maxLength: MAX_NOTE, description: 'For moderators only' }),
    rating: AssetRating.nullish().openapi({
      description: 'With `rate`, and only then',
    }),
    replaces: Id.nullish().openapi({
      description: 'The case’s last decision that is not lifted; null or left out: there is none',
    }),
    is_automated: z.boolean().default(false).openapi({ description: 'A machine made it' }),
  })
  .superRefine(({ action, rating }, context) => {
    if ((action === 'rate') !== ((rating ?? null) !== null))
      context.addIssue({
        code: 'custom',
        path: ['rating'],
        message: 'belongs to the action rate, which needs it',
      })
  })
  .openapi('CreateDecision', {
    example: {
      action: 'unlist',
      ground: 'terms',
      rule: 'Terms of use, 4.2',
      statement: 'The second room shows a slogan against a group of people. Remove it, and tell us.',
      replaces: null,
    },
  })
export type CreateDecision = z.output<typeof CreateDecision>

/** The answer to an appeal. */
export const AnswerAppeal = z
  .object({
    outcome: z.enum(['upheld', 'reversed']).openapi({ 'x-name': 'AppealOutcome' }),
    answer: StatementText.openapi({ description: 'For whom appealed' }),
  })
  .openapi('AnswerAppeal', {
    example: { outcome: 'reversed', answer: 'The sign is not the one we took it for.' },
  })

const numbers = z.record(z.string(), z.int())

/** The figures of a time. */
export const Figures = z
  .object({
    report_count: z.int(),
    reports_by_category: numbers,
    illegal_report_count: z.int(),
    decision_count: z.int(),
    decisions_by_action: numbers,
    decisions_by_ground: numbers,
    automated_count: z.int(),
    median_seconds_to_decision: z.int().nullable().openapi({
      description: 'From the first open report to the decision of a moderator; null: there was none',
    }),
    appeal_count: z.int(),
    reversed_count: z.int(),
  })
  .openapi('Figures', {
    example: {
      report_count: 412,
      reports_by_category: { spam: 300, hate: 112 },
      illegal_report_count: 7,
      decision_count: 210,
      decisions_by_action: { none: 120, warn: 40, unlist: 30, block: 20 },
      decisions_by_ground: { terms: 203, law: 7 },
      automated_count: 5,
      median_seconds_to_decision: 21_600,
      appeal_count: 12,
      reversed_count: 3,
    },
  })
export type Figures = z.output<typeof Figures>

/** The time of figures. */
export const FiguresQuery = z.object({
  from: integer(0, 100_000_000_000).openapi({ type: 'integer', description: 'Unix seconds: the first' }),
  to: integer(0, 100_000_000_000).openapi({
    type: 'integer',
    description: 'Unix seconds: the first that is left out, at most 366 days after `from`',
  }),
})

export const CaseId = z.object({ id: IdInPath })
