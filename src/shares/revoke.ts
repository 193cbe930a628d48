import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { isNotErasedShare } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { exists } from '../files/tree/lifecycle.ts'

/**
 * Ends a share: the owner revokes it, also while the file is in the trash, or the grantee gives it up
 * (specification §3.3; decisions, "Shares"). A URL that was signed before stays good until it expires.
 *
 * @throws SHARE_NOT_FOUND
 */
export async function revokeShare({ db, user_id }: RequestContext, id: string): Promise<void> {
  const [ended] = await db.all<{ id: string }>(
    sql`DELETE FROM shares WHERE id = ${id} AND ${exists(sql`shares.file_id`)} AND ${isNotErasedShare}
        AND (grantee_id = ${user_id} OR owner_id = ${user_id}) RETURNING id`,
  )
  if (!ended) throw new ApiError('SHARE_NOT_FOUND')
}
