import type { AnnouncementRow } from './row.ts'
import type { Announcement } from './schema.ts'

/** An announcement as the API shows it. */
export function announcementRecord({
  id,
  type,
  data,
  expires_at,
  created_at,
}: AnnouncementRow): Announcement {
  return { id, type, data: JSON.parse(data), expires_at, created_at }
}
