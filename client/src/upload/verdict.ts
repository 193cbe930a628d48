import type { Operations } from '../operations.ts'
import { jitteredDelay, wait } from '../retry.ts'

/** The pauses between two questions for a verdict: the first, and the longest. */
const VERDICT = { minDelayMs: 500, maxDelayMs: 30_000 }

/** Resolves when an upload is not being checked any more. */
export async function verdictOn(
  operations: Operations,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let asked = 1; ; asked++) {
    await wait(VERDICT.minDelayMs + jitteredDelay(VERDICT, asked), signal)
    const upload = await operations.getUpload({ id }, { signal })
    if (!('processing_state' in upload) || upload.processing_state !== 'processing') return
  }
}
