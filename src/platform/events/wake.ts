import type { Message } from '../config/message.ts'
import { logWarning } from '../lib/log.ts'

/** Sends a message for each of these databases. `late` is the line of the log when they can't be sent. */
async function wake(
  queue: Queue<Message> | undefined,
  kind: 'events' | 'catalogue',
  databases: Iterable<string>,
  late: string,
): Promise<void> {
  const messages = [...databases].map((database) => ({ body: { kind, database } }))
  try {
    if (messages.length > 0) await queue?.sendBatch(messages)
  } catch (error) {
    logWarning(late, { error: String(error) })
  }
}

/**
 * Has the marks of assets in these databases applied by the receiver of the queue. Without a queue, or when the message can't be
 * sent, the job applies them.
 */
export function wakeCatalogue(queue: Queue<Message> | undefined, databases: Iterable<string>): Promise<void> {
  return wake(queue, 'catalogue', databases, 'the catalogue is written by the job')
}

/**
 * Wakes the delivery of the events in these databases. A message that can't be sent only delays the delivery: the job sends
 * another.
 */
export function wakeDelivery(queue: Queue<Message> | undefined, databases: Iterable<string>): Promise<void> {
  return wake(queue, 'events', databases, 'the delivery of events was not woken')
}
