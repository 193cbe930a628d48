import type { Message } from '../../platform/config/message.ts'
import { logWarning } from '../../platform/lib/log.ts'

/** The largest number of messages in one `sendBatch` (Cloudflare Queues). */
const MAX_MESSAGES = 100

/**
 * Queues a request to the checker for each upload. Never throws. A lost message only causes a delay, because the job queues
 * overdue uploads again.
 */
export async function wakeChecks(
  queue: Queue<Message> | undefined,
  upload_ids: Iterable<string>,
): Promise<void> {
  const messages = [...upload_ids].map((upload_id) => ({ body: { kind: 'check' as const, upload_id } }))
  try {
    for (let next = 0; next < messages.length; next += MAX_MESSAGES)
      await queue?.sendBatch(messages.slice(next, next + MAX_MESSAGES))
  } catch (error) {
    logWarning('a check was not asked for', { error: String(error) })
  }
}
