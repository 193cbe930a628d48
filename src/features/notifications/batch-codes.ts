/** The codes of a recipient of a batch who did not get the notification. They are here, because `schema.ts` is not loaded at start-up. */
export const batchCodes = ['IDEMPOTENCY_KEY_REUSED', 'MUTED_BY_USER', 'UNAVAILABLE', 'INTERNAL'] as const
export type BatchCode = (typeof batchCodes)[number]
