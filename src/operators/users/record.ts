import type { Quota } from '../../features/quota/schema.ts'
import type { UserRows } from './read.ts'
import type { UserOverview } from './schema.ts'

/** The API's representation of what a user has. */
export function userOverview(
  user_id: string,
  { counts, inbox, is_being_erased }: UserRows,
  quota: Quota,
): UserOverview {
  return {
    user_id,
    is_being_erased,
    quota,
    item_count: counts?.items ?? 0,
    asset_count: counts?.assets ?? 0,
    public_asset_count: counts?.public_assets ?? 0,
    version_count: counts?.versions ?? 0,
    favorite_count: counts?.favorites ?? 0,
    open_upload_count: counts?.open_uploads ?? 0,
    notifications: { total: inbox.total, unread: inbox.unread },
  }
}
