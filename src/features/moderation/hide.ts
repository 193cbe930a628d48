import { logWarning } from '../../platform/lib/log.ts'
import { type DecidedCase, findCase, lastDecision } from './case.ts'
import { makeDecision } from './decide.ts'
import { isMeasure, type MeasureContext } from './measure.ts'

/**
 * Keeps an asset that many users have reported out of the catalogue, until a moderator has looked (HIDE_AFTER_REPORTS). The reports stay
 * open. Returns whether it did.
 *
 * @throws UNAVAILABLE
 */
export async function hide(ctx: MeasureContext, case_id: string): Promise<boolean> {
  const { HIDE_AFTER_REPORTS, HIDE_STATEMENT } = ctx.config
  const found = await findCase(ctx, case_id)
  const decision = lastDecision(found)
  // A case has one measure: hiding in place of another would lift it.
  const isFree = decision === undefined || (!isMeasure(decision.action) && found.appealed_at === null)
  if (HIDE_AFTER_REPORTS === 0 || found.fresh_reporters < HIDE_AFTER_REPORTS || !isFree) return false
  const hidden = await makeDecision(
    ctx,
    found,
    {
      action: 'unlist',
      ground: 'terms',
      rule: null,
      statement: HIDE_STATEMENT,
      note: null,
      rating: null,
      is_automated: true,
      replaces: found.decision_id,
    },
    { moderator_id: null, fewest: HIDE_AFTER_REPORTS, endsReports: false },
  )
  return hidden !== undefined
}

/** Hides an asset after a report that many others preceded. Does not throw: the job does what fails. */
export async function hideIfCrowded(
  ctx: MeasureContext,
  { id: case_id, fresh_reporters }: Pick<DecidedCase, 'id' | 'fresh_reporters'>,
): Promise<void> {
  const { HIDE_AFTER_REPORTS } = ctx.config
  if (HIDE_AFTER_REPORTS === 0 || fresh_reporters < HIDE_AFTER_REPORTS) return
  try {
    await hide(ctx, case_id)
  } catch (error) {
    logWarning('an asset that many have reported is hidden later', { error: String(error) })
  }
}
