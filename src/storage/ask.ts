import { unavailable } from '../errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Config } from '../variables.ts'

/** Waits for a call to the bucket. @throws UNAVAILABLE when it fails or takes too long */
export async function askStorage<Answer>(
  { CALL_TIMEOUT_MS }: Pick<Config, 'CALL_TIMEOUT_MS'>,
  call: Promise<Answer>,
): Promise<Answer> {
  try {
    return await withTimeout(CALL_TIMEOUT_MS, call)
  } catch (error) {
    throw unavailable('The storage did not answer. Try again.', error)
  }
}
