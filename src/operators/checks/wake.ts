import type { Message } from '../../platform/config/message.ts'
import { logWarning } from '../../platform/lib/log.ts'

/** How many messages the queue takes at once. */
const MOST_MESSAGES = 100

/**
 * Has the checker asked about uploads: a message to the queue for each. One that can't be sent costs a delay only, because
 * the job sends another.
 */
export async function wakeChecks(
  queue: Queue<Message> | undefined,
  upload_ids: Iterable<string>,
): Promise<void> {
  const messages = [...upload_ids].map((upload_id) => ({ body: { kind: 'check' as const, upload_id } }))
  try {
    for (let next = 0; next < messages.length; next += MOST_MESSAGES)
      await queue?.sendBatch(messages.slice(next, next + MOST_MESSAGES))
  } catch (error) {
    logWarning('a check was not asked for', { error: String(error) })
  }
}
