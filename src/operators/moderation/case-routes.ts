import { DownloadUrl } from '../../features/files/schema.ts'
import { decide } from '../../features/moderation/decide.ts'
import { answerAppeal, liftDecision } from '../../features/moderation/lift.ts'
import { readDecision } from '../../features/moderation/read.ts'
import {
  appealIn,
  appealRecord,
  moderatorsDecisionRecord,
  reportRecord,
} from '../../features/moderation/row.ts'
import { Appeal, InPath, ModeratorsDecision } from '../../features/moderation/schema.ts'
import { concerns, namedIn } from '../../platform/http/audited.ts'
import { problemWith } from '../../platform/http/error-responses.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { created, Reply, Router, route } from '../../platform/http/route.ts'
import { contentUrl, openCase, readCase, type WholeCase } from './case.ts'
import { figuresOf } from './figures.ts'
import { caseRecord, listCases } from './queue.ts'
import * as schema from './schema.ts'

/** The queue of moderators, and what they decide (docs/conformance.md#safety). */
export const router = new Router('Operators', requestContext)

const scope = 'content:moderate'

/** Says whom an act concerns as soon as its case is read, so that the audit has the owner of a refused one, too. */
const concernsOwner =
  (c: Parameters<typeof concerns>[0]) =>
  ({ owner_id }: { owner_id: string | null }) =>
    concerns(c, owner_id)

route(router, 'GET /v1/moderation/cases', 'listCases', {
  summary: 'List cases',
  description: 'With `category` and `owner_id` together, a page may be shorter than its limit.',
  scope,
  query: schema.ListCases,
  answers: { 200: [schema.CasePage, 'A page of cases'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listCases(ctx, query)
    return { cases: rows.map(caseRecord), next_cursor }
  },
})

function wholeRecord({ row, reports, earlier }: WholeCase) {
  return {
    ...caseRecord(row),
    reports: reports.map((report) => ({ ...reportRecord(report), reporter_id: report.reporter_id })),
    earlier: earlier.map((decision) => moderatorsDecisionRecord(decision, appealIn(decision))),
  }
}

route(router, 'POST /v1/moderation/cases', 'openCase', {
  summary: 'Open the case of a thing without a report',
  scope,
  audit: ({ body: { target } }) => namedIn({ [target.type === 'user' ? 'user_id' : 'id']: target.id }),
  body: schema.OpenCase,
  answers: {
    200: [schema.WholeCase, 'The case that is there'],
    201: [schema.WholeCase, 'The case', 'Location'],
  },
  errors: ['ASSET_NOT_FOUND', 'FILE_NOT_FOUND', 'CASE_NOT_FOUND'],
  handle: async (ctx, { body }, c) => {
    const { found, isNew } = await openCase(ctx, body.target)
    concerns(c, found.row.owner_id, found.row.id)
    const record = wholeRecord(found)
    return isNew ? created(record, `/v1/moderation/cases/${record.id}`) : new Reply(200, record, {})
  },
})

route(router, 'GET /v1/moderation/cases/{id}', 'getCase', {
  summary: 'Get a case, with its reports and the earlier decisions about the owner',
  scope,
  params: schema.CaseId,
  answers: { 200: [schema.WholeCase, 'The case'] },
  errors: ['CASE_NOT_FOUND'],
  handle: async (ctx, { params }) => wholeRecord(await readCase(ctx, params.id)),
})

route(router, 'POST /v1/moderation/cases/{id}/content', 'getCaseContent', {
  summary: 'Get a URL of the content of a case’s thing, also of what is private or blocked',
  description:
    'Of an asset any version, for any platform; without one, that which players get. Each time an entry of the audit.',
  scope,
  audit: ({ body }) => ({ reason: body.reason }),
  params: schema.CaseId,
  body: schema.ContentReason,
  answers: { 200: [DownloadUrl, 'The URL'] },
  errors: [
    'CASE_NOT_FOUND',
    'ASSET_NOT_FOUND',
    'FILE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'VARIANT_NOT_FOUND',
    'FILE_IS_FOLDER',
    'FILE_NOT_READY',
  ],
  handle: async (ctx, { params, body }, c) => {
    const { url, expires_at, owner_id } = await contentUrl(ctx, params.id, body)
    concerns(c, owner_id)
    return { url, expires_at }
  },
})

route(router, 'POST /v1/moderation/cases/{id}/decisions', 'decide', {
  summary: 'Decide about a case',
  description:
    'It is in force with the answer: for the record, its URLs and branches. The catalogue follows within seconds.',
  scope,
  idempotent: true,
  params: schema.CaseId,
  body: schema.CreateDecision,
  answers: { 201: [ModeratorsDecision, 'The decision', 'Location'] },
  errors: [
    'CASE_NOT_FOUND',
    problemWith('CASE_DECIDED', 'CaseDecided', {
      decision: ModeratorsDecision.nullable()
        .optional()
        .openapi({ description: 'The decision that is in force; null: none is' }),
    }),
  ],
  handle: async (ctx, { params, body, key }, c) => {
    const { rule, note, rating, replaces } = body
    const optional = {
      rule: rule ?? null,
      note: note ?? null,
      rating: rating ?? null,
      replaces: replaces ?? null,
    }
    const row = await decide(ctx, params.id, { ...body, ...optional }, key, concernsOwner(c))
    return created(moderatorsDecisionRecord(row, appealIn(row)), `/v1/moderation/decisions/${row.id}`)
  },
})

route(router, 'GET /v1/moderation/decisions/{id}', 'getModeratorsDecision', {
  summary: 'Get a decision',
  scope,
  params: InPath,
  answers: { 200: [ModeratorsDecision, 'The decision'] },
  errors: ['DECISION_NOT_FOUND'],
  handle: async (ctx, { params }) => {
    const row = await readDecision(ctx, params.id)
    return moderatorsDecisionRecord(row, appealIn(row))
  },
})

route(router, 'DELETE /v1/moderation/decisions/{id}', 'liftDecision', {
  summary: 'Lift what a decision did',
  description: 'An open appeal against it is reversed. A second time changes nothing.',
  scope,
  params: InPath,
  answers: { 204: 'It is lifted' },
  errors: ['DECISION_NOT_FOUND'],
  handle: (ctx, { params }, c) => liftDecision(ctx, params.id, concernsOwner(c)),
})

route(router, 'POST /v1/moderation/cases/{id}/appeal', 'answerAppeal', {
  summary: 'Answer the open appeal of a case',
  description:
    'Another moderator than the one who decided. A reversal lifts the measure; against `none` the case is open again.',
  scope,
  params: schema.CaseId,
  body: schema.AnswerAppeal,
  answers: { 200: [Appeal, 'The appeal'] },
  errors: ['CASE_NOT_FOUND', 'APPEAL_CLOSED'],
  handle: async (ctx, { params, body }, c) =>
    appealRecord(await answerAppeal(ctx, params.id, body, concernsOwner(c))),
})

route(router, 'GET /v1/moderation/figures', 'getFigures', {
  summary: 'Count the reports, decisions and appeals of a time',
  description: 'For a transparency report.',
  scope,
  query: schema.FiguresQuery,
  answers: { 200: [schema.Figures, 'The figures'] },
  handle: (ctx, { query }) => figuresOf(ctx, query),
})
