/** Every type of event. The schemas of their data are in src/platform/events/types.ts, so that requests need not load them. */
export const eventTypeNames = [
  'upload.completed',
  'upload.failed',
  'file.purged',
  'asset.created',
  'asset.published',
  'asset.version_added',
  'asset.released',
  'asset.version_deleted',
  'asset.deleted',
  'share.created',
  'share.revoked',
  'content.blocked',
  'report.created',
  'decision.made',
  'appeal.created',
  'user.erased',
  'quota.threshold',
  'notification.undelivered',
  'events.dropped',
] as const

/** A type of event. */
export type EventType = (typeof eventTypeNames)[number]

const names: ReadonlySet<string> = new Set(eventTypeNames)

/** Whether a text is a type of event. */
export function isEventType(name: string): name is EventType {
  return names.has(name)
}

/** The shares of a quota, in percent, at which an event is written. */
export const quotaThresholds = [80, 100] as const
