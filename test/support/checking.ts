import { giveVerdict } from '../../src/checks/verdict.ts'
import type { RequestContext } from '../../src/context.ts'
import { workOf } from './world.ts'

/** The work of a user whose content is all checked, with the uploads that the checker was asked about. */
export function checkedWork(
  user_id: string,
  kinds: readonly string[] = ['*'],
): { work: RequestContext; asked: string[] } {
  const asked: string[] = []
  return { work: workOf(user_id, { check: { kinds, ask: (id) => asked.push(id) } }), asked }
}

/** What the studio's checker says about an upload. */
export const accept = (upload_id: string) => giveVerdict(workOf('checker'), upload_id, { verdict: 'ready' })
export const reject = (upload_id: string, reason = 'It has a virus.') =>
  giveVerdict(workOf('checker'), upload_id, { verdict: 'failed', reason })
