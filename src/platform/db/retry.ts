import { unavailable } from '../errors.ts'
import { UniqueViolation } from './session.ts'

const MAX_ATTEMPTS = 5

/**
 * Repeats an attempt while it returns undefined: a conditional write changed nothing, and another request has removed the
 * reason meanwhile. An attempt that violates a unique index has made an id that is taken, and is repeated, too.
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
