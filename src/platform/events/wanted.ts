import type { EventType } from '../config/event-names.ts'
import type { Config } from '../config/variables.ts'

/** Whether events of a type are written. */
export function isWanted(
  { config }: { config: Pick<Config, 'WEBHOOK_URL' | 'WEBHOOK_EVENTS'> },
  type: EventType,
): boolean {
  const { WEBHOOK_URL, WEBHOOK_EVENTS } = config
  return WEBHOOK_URL !== undefined && (WEBHOOK_EVENTS === undefined || WEBHOOK_EVENTS.includes(type))
}
