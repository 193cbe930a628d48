import type { Config } from '../config/variables.ts'
import { storageUnavailable } from '../errors.ts'
import { withTimeout } from '../lib/timeout.ts'

/** Waits for a call to the bucket, CALL_TIMEOUT_MS at most. @throws UNAVAILABLE when it fails or takes longer */
export function askStorage<Answer>(
  { CALL_TIMEOUT_MS }: Pick<Config, 'CALL_TIMEOUT_MS'>,
  call: Promise<Answer>,
): Promise<Answer> {
  return withTimeout(CALL_TIMEOUT_MS, call).catch(storageUnavailable)
}
