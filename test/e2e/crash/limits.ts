import type { Limits } from '../../proofs/model/state.ts'

const MIB = 1024 ** 2

/** The limits that the server runs with: high, so that only a crash is in the way. */
export const limits: Limits = {
  DEFAULT_QUOTA_BYTES: 1024 * MIB,
  MAX_ITEMS: 10_000,
  MAX_ASSETS: 1_000,
  MAX_PUBLIC_ASSETS: 1_000,
  MAX_VERSIONS: 10_000,
  MAX_OPEN_UPLOADS: 1_000,
  MAX_SHARES_PER_FILE: 500,
  MAX_VERSIONS_PER_ASSET: 1_000,
  MAX_FOLDER_DEPTH: 100,
  MAX_FAVORITES: 1_000,
  MAX_MUTES: 1_000,
  MAX_NOTIFICATIONS: 1_000,
  MAX_ANNOUNCEMENTS: 20,
  /** R2 takes no less for a part that is not the last. */
  MULTIPART_THRESHOLD: 5 * MIB,
  PART_SIZE: 5 * MIB,
  UPLOAD_TTL: 60,
  UPLOAD_URL_TTL: 3_600,
  DOWNLOAD_URL_TTL: 10,
  TRASH_RETENTION_DAYS: 30,
  NOTIFICATION_RETENTION_DAYS: 90,
}

/** In the end uploads are left alone until their time is over, which then is soon, in seconds. */
export const LAST_UPLOAD_TTL = 6

/** The server's variables. */
export const variables: Record<string, string> = {
  ...Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)])),
  CONTENT_GRACE_DAYS: '0', // the test looks whether no object is left
}
