import { PageQuery } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { created, Reply, Router, route } from '../../platform/http/route.ts'
import { createAppeal } from './appeal.ts'
import { listDecisions, listReports, readOwnDecision, readReport } from './read.ts'
import { createReport } from './report.ts'
import { appealIn, appealRecord, decisionRecord, reportRecord } from './row.ts'
import * as schema from './schema.ts'

/** Reports of players, and what became of them; decisions about one's own things (docs/conformance.md#safety). */
export const router = new Router('Safety', requestContext)

route(router, 'POST /v1/reports', 'createReport', {
  summary: 'Report an asset, a file or a user',
  description:
    'The caller must be able to read the asset or the file. A second report about the same thing while the first is open answers with the first.',
  idempotent: true,
  onBehalf: 'never',
  body: schema.CreateReport,
  answers: {
    200: [schema.Report, 'The caller’s report about it that is still open'],
    201: [schema.Report, 'The report', 'Location'],
  },
  errors: ['ASSET_NOT_FOUND', 'FILE_NOT_FOUND', 'LIMIT_REACHED'],
  handle: async (ctx, { body, key }) => {
    const { report, isNew } = await createReport(ctx, body, key)
    const record = reportRecord(report)
    return isNew ? created(record, `/v1/reports/${record.id}`) : new Reply(200, record, {})
  },
})

route(router, 'GET /v1/reports', 'listReports', {
  summary: 'List the caller’s reports, newest first',
  query: PageQuery,
  answers: { 200: [schema.ReportPage, 'A page of reports'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listReports(ctx, query)
    return { reports: rows.map(reportRecord), next_cursor }
  },
})

route(router, 'GET /v1/reports/{id}', 'getReport', {
  summary: 'Get a report of the caller’s, and what became of it',
  params: schema.InPath,
  answers: { 200: [schema.Report, 'The report'] },
  errors: ['REPORT_NOT_FOUND'],
  handle: async (ctx, { params }) => reportRecord(await readReport(ctx, params.id)),
})

route(router, 'GET /v1/decisions', 'listDecisions', {
  summary: 'List the decisions of moderators about the caller’s things, newest first',
  description: 'Also about things that are blocked or gone. Decisions that did nothing are left out.',
  query: PageQuery,
  answers: { 200: [schema.DecisionPage, 'A page of decisions'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listDecisions(ctx, query)
    return { decisions: rows.map((row) => decisionRecord(row, appealIn(row))), next_cursor }
  },
})

route(router, 'GET /v1/decisions/{id}', 'getDecision', {
  summary: 'Get a decision about a thing of the caller’s',
  params: schema.InPath,
  answers: { 200: [schema.Decision, 'The decision'] },
  errors: ['DECISION_NOT_FOUND'],
  handle: async (ctx, { params }) => {
    const row = await readOwnDecision(ctx, params.id)
    return decisionRecord(row, appealIn(row))
  },
})

route(router, 'POST /v1/decisions/{id}/appeal', 'createAppeal', {
  summary: 'Appeal against a decision',
  description:
    'Its owner may, and against a decision that did nothing somebody whose report it ended. One appeal a decision; a repetition with the same text answers with it.',
  onBehalf: 'never',
  params: schema.InPath,
  body: schema.CreateAppeal,
  answers: { 201: [schema.Appeal, 'The appeal'] },
  errors: ['DECISION_NOT_FOUND', 'APPEAL_CLOSED'],
  handle: async (ctx, { params, body }) =>
    created(appealRecord(await createAppeal(ctx, params.id, body.text))),
})
