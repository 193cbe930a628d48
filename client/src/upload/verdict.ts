import type { UploadsOperations } from '../operations.ts'
import { jitteredDelay, wait } from '../retry.ts'

/** The delays between two polls. */
const VERDICT = { minDelayMs: 500, maxDelayMs: 30_000 }

/** Polls an upload until its content check has ended. */
export async function verdictOn(
  operations: UploadsOperations,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let asked = 1; ; asked++) {
    await wait(VERDICT.minDelayMs + jitteredDelay(VERDICT, asked), signal)
    const upload = await operations.get({ id }, { signal })
    if (!('processing_state' in upload) || upload.processing_state !== 'processing') return
  }
}
