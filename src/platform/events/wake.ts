import type { Message } from '../config/message.ts'
import { logWarning } from '../lib/log.ts'

/**
 * Wakes the delivery of the events in these databases. A message that can't be sent only delays the delivery: the job sends
 * another.
 */
export async function wakeDelivery(
  queue: Queue<Message> | undefined,
  databases: Iterable<string>,
): Promise<void> {
  const messages = [...databases].map((database) => ({ body: { kind: 'events' as const, database } }))
  try {
    if (messages.length > 0) await queue?.sendBatch(messages)
  } catch (error) {
    logWarning('the delivery of events was not woken', { error: String(error) })
  }
}
