import { env } from 'cloudflare:test'
import { decide, type NewDecision } from '../../src/features/moderation/decide.ts'
import { createReport } from '../../src/features/moderation/report.ts'
import type { CreateReport, Target } from '../../src/features/moderation/schema.ts'
import { openCase } from '../../src/operators/moderation/case.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { partitionIn } from '../../src/platform/db/id.ts'
import { contextOf } from './context.ts'
import { holdersOf } from './databases.ts'
import { newUserId } from './ids.ts'

/** What tests do that call the rules of moderation directly. */

/** What a moderator decides about a case. */
export const decision = (action: NewDecision['action'], more: Partial<NewDecision> = {}): NewDecision => ({
  action,
  ground: 'terms',
  rule: null,
  statement: 'A slogan on the wall.',
  note: null,
  rating: action === 'rate' ? 'teen' : null,
  is_automated: false,
  replaces: null,
  ...more,
})

/** Reports a thing, as a user who has not been there before unless it is said. */
export const reportOf = (
  target: Target,
  by: RequestContext = contextOf(newUserId()),
  more: Partial<CreateReport> = {},
) => createReport(by, { target, category: 'hate', text: null, is_illegal: false, ...more })

/** The id of the case of a thing, which a moderator opens. */
export async function caseOf(target: Target): Promise<string> {
  return (await openCase(contextOf(newUserId()), target)).found.row.id
}

/** Decides about a case, as a moderator of whom nobody has heard. */
export const decided = (case_id: string, action: NewDecision['action'], more: Partial<NewDecision> = {}) =>
  decide(contextOf(newUserId()), case_id, decision(action, more))

/** What the row of a case says. */
export async function caseRow(id: string) {
  const row = await env.DB.prepare(
    'SELECT state, sequence, applied, decision_id, report_count, fresh_reporters, decided_at, appealed_at FROM cases WHERE id = ?',
  )
    .bind(id)
    .first<{
      state: string
      sequence: number
      applied: number
      decision_id: string | null
      report_count: number
      fresh_reporters: number
    }>()
  if (!row) throw new Error(`there is no case ${id}`)
  return row
}

/** The ids of the decisions about a case, in their order. */
export async function decisionsAbout(case_id: string): Promise<string[]> {
  const { results } = await env.DB.prepare('SELECT id FROM decisions WHERE case_id = ? ORDER BY sequence')
    .bind(case_id)
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}

/** How the measures show in an asset's row, wherever a move has brought it; null when it is gone. */
export async function measuredRow(id: string) {
  const partition = partitionIn(id)
  const holder = (await holdersOf([partition])).get(partition)
  if (!holder) throw new Error(`no database has the partition ${partition}`)
  return holder
    .prepare('SELECT blocked, unlisted, rating, rating_locked FROM game_assets WHERE id = ? AND purging = 0')
    .bind(id)
    .first<{ blocked: number; unlisted: number; rating: string | null; rating_locked: string | null }>()
}
