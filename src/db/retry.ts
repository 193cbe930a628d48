import { unavailable } from '../errors.ts'

const MAX_ATTEMPTS = 5

/**
 * Repeats an attempt while it returns undefined: a conditional write did nothing, but the reason for that is gone, so
 * another request has come in between.
 *
 * @throws UNAVAILABLE after five attempts
 */
export async function retryOnConflict<Answer>(attempt: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const answer = await attempt()
    if (answer !== undefined) return answer
  }
  throw unavailable('Too much is changing here at once. Try again.')
}
