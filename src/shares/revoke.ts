import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { isNotErasedShare } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { exists } from '../files/tree/lifecycle.ts'
import type { ShareRow } from './record.ts'

/**
 * Deletes a share, as its owner, also while the file is in the trash, or as its grantee (specification §3.3; decisions,
 * "Shares"). A URL that was signed before stays valid until it expires.
 *
 * @throws SHARE_NOT_FOUND
 */
export async function revokeShare({ databases, user_id }: RequestContext, id: string): Promise<void> {
  const [revoked] = await databases.of(id).write(
    sql<Pick<ShareRow, 'id'>>`DELETE FROM shares
      WHERE id = ${id} AND ${exists(sql`shares.file_id`)} AND ${isNotErasedShare}
        AND (grantee_id = ${user_id} OR owner_id = ${user_id}) RETURNING id`,
  )
  if (!revoked) throw new ApiError('SHARE_NOT_FOUND')
}

/**
 * Deletes everything that one owner shares with the caller (decisions, "Shares"): up to MAX_SHARES_PER_GRANTEE rows, over an
 * index of exactly these. Expired shares give no access, and stay in their owner's list.
 */
export async function leaveSharesOf(ctx: RequestContext, owner_id: string): Promise<void> {
  await ctx.databases.home(owner_id).write(
    sql`DELETE FROM shares WHERE grantee_id = ${ctx.user_id} AND owner_id = ${owner_id} AND expired = 0
      AND (expires_at IS NULL OR expires_at > ${seconds(ctx)})`,
  )
}
