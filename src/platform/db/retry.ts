import { unavailable } from '../errors.ts'
import { UniqueViolation } from './session.ts'

const MAX_ATTEMPTS = 5

/**
 * Repeats an attempt while it returns undefined: a conditional write did nothing, but the reason for that is gone, so
 * another request has come in between. An attempt that violates a unique index has made an id that is taken: it is
 * repeated, too.
 *
 * @throws UNAVAILABLE after five attempts
 */
export async function retryOnConflict<Answer>(attempt: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const answer = await attempt().catch(orConflict)
    if (answer !== undefined) return answer
  }
  throw unavailable('Too much is changing here at once. Try again.')
}

function orConflict(error: unknown): undefined {
  if (error instanceof UniqueViolation) return undefined
  throw error
}
