import { giveVerdict } from '../../src/operators/checks/verdict.ts'
import type { Message } from '../../src/platform/config/message.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { contextOf } from './context.ts'
import { silentQueue } from './events.ts'
import { type Fetch, serviceWith } from './service.ts'

/** The context of a user whose content is checked, and the ids of the uploads for which the checker was asked. */
export function checkedWork(
  user_id: string,
  kinds: readonly string[] = ['*'],
): { work: RequestContext; asked: Set<string> } {
  const asked = new Set<string>()
  return { work: contextOf(user_id, { check: { kinds, asked } }), asked }
}

/** Gives the checker's verdict on an upload. */
export const accept = (upload_id: string) =>
  giveVerdict(contextOf('checker'), upload_id, { verdict: 'ready' })
export const reject = (upload_id: string, reason = 'It has a virus.') =>
  giveVerdict(contextOf('checker'), upload_id, { verdict: 'failed', reason })

/** The variables of a checker for all content. */
const configured = {
  CONTENT_CHECK_URL: 'https://checker.example/check',
  CONTENT_CHECK_SECRET: `whsec_${btoa('a secret of the tests, of 32 byte')}`,
}

/** The variables of a checker for some kinds of content. */
export const checker = (kinds: string) => ({ ...configured, CONTENT_CHECK_KINDS: kinds })

/**
 * The service with a checker, for all content or some kinds. No message of the queue is consumed: tests give the verdicts.
 * `sent` has the messages.
 */
export function serviceWithCheck(variables: Record<string, string> = {}): {
  service: Fetch
  sent: Message[]
} {
  const { queue, sent } = silentQueue()
  return { service: serviceWith({ ...configured, ...variables, CHECKS: queue }), sent }
}
