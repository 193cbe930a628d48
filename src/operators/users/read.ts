import { getTableColumns, sql } from 'drizzle-orm'
import { callInbox } from '../../features/notifications/call-inbox.ts'
import type { InboxCounts } from '../../features/notifications/rpc.ts'
import type { Quota } from '../../features/quota/schema.ts'
import type { RequestContext } from '../../platform/context.ts'
import { usage } from '../../platform/db/schema.ts'
import { columnsOf, type Params, type RowOf, statement } from '../../platform/db/sql.ts'
import type { UserOverview } from './schema.ts'

const { used_bytes, limit_bytes, items, assets, public_assets, versions, favorites, open_uploads } =
  getTableColumns(usage)
const columns = {
  used_bytes,
  limit_bytes,
  items,
  assets,
  public_assets,
  versions,
  favorites,
  open_uploads,
}

/** The columns of a user's usage row that an overview is made of. */
interface CountsRow extends RowOf<typeof columns> {}

/** The rows that an overview of a user is made of. `counts` is undefined for a user who has stored nothing yet. */
export interface UserRows {
  counts: CountsRow | undefined
  inbox: InboxCounts
  is_being_erased: boolean
}

const countsOf = statement(
  (p: Params<'user_id'>) =>
    sql<CountsRow>`SELECT ${columnsOf(columns)} FROM usage WHERE user_id = ${p.user_id}`,
)
const erasureOf = statement(
  (p: Params<'user_id'>) => sql`SELECT 1 FROM erasures WHERE user_id = ${p.user_id} AND is_guest = 0`,
)

/**
 * Reads what a user has, from kept counters alone. It writes nothing: a user of whom nothing is stored has only zeros, so the
 * answer does not show whether a login knows the user.
 *
 * @throws UNAVAILABLE
 */
export async function readUser(ctx: RequestContext, user_id: string): Promise<UserRows> {
  const db = ctx.databases.home(user_id)
  // A replica might not have a limit that an operator has just set.
  db.usePrimary()
  const [{ counts, erasures }, inbox] = await Promise.all([
    db.read({
      counts: countsOf({ user_id }),
      erasures: erasureOf({ user_id }),
    }),
    callInbox(ctx, user_id, async (called): Promise<InboxCounts> => called.counts(), true),
  ])
  return { counts: counts[0], inbox, is_being_erased: erasures.length > 0 }
}

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
