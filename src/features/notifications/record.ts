import type { OutcomeOf } from './publish-batch.ts'
import type { BatchResult } from './schema.ts'

/** The outcome for a recipient of a batch, as the API shows it. */
export function batchResult({ user_id, notification, error }: OutcomeOf): BatchResult {
  return notification ? { user_id, notification_id: notification.id } : { user_id, code: error }
}
