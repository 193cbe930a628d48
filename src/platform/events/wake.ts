import type { Message } from '../config/message.ts'
import { logWarning } from '../lib/log.ts'

/**
 * Sends a message for each of these databases. One that can't be sent costs a delay only: the job sends another.
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
