import type { Message } from '../config/message.ts'
import { logWarning } from '../lib/log.ts'

/**
 * Has the marks of assets in these databases applied by the receiver of the queue. Without a queue, or when the message can't be
 * sent, the job applies them.
 */
export async function wakeCatalogue(
  queue: Queue<Message> | undefined,
  databases: Iterable<string>,
): Promise<void> {
  const messages = [...databases].map((database) => ({ body: { kind: 'catalogue' as const, database } }))
  try {
    await queue?.sendBatch(messages)
  } catch (error) {
    logWarning('the catalogue is written by the job', { error: String(error) })
  }
}

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
