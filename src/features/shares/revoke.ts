import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { isNotErasedShare } from '../../platform/db/marks.ts'
import { ApiError } from '../../platform/errors.ts'
import { exists } from '../files/tree/lifecycle.ts'
import { sharesRevoked } from './events.ts'
import type { ShareRow } from './row.ts'

/**
 * Deletes a share, as its owner, also while the file is in the trash, or as its grantee
 * (docs/conformance.md#shares). A URL that was signed before stays valid until it
 * expires.
 *
 * @throws SHARE_NOT_FOUND
 */
export async function revokeShare(ctx: RequestContext, id: string): Promise<void> {
  const { databases, user_id } = ctx
  const isRevocable = sql`id = ${id} AND ${exists(sql`shares.file_id`)} AND ${isNotErasedShare}
    AND (grantee_id = ${user_id} OR owner_id = ${user_id})`
  const { revoked } = await databases.of(id).write({
    events: sharesRevoked(ctx, isRevocable, sql`iif(owner_id = ${user_id}, 'owner', 'grantee')`),
    revoked: sql<Pick<ShareRow, 'id'>>`DELETE FROM shares WHERE ${isRevocable} RETURNING id`,
  })
  if (revoked.length === 0) throw new ApiError('SHARE_NOT_FOUND')
}

/**
 * Deletes everything that one owner shares with the caller (docs/conformance.md#shares): up to MAX_SHARES_PER_GRANTEE
 * rows, over an index of exactly these. Expired shares give no access, and stay in their owner's list.
 */
export async function leaveSharesOf(ctx: RequestContext, owner_id: string): Promise<void> {
  const isLeft = sql`grantee_id = ${ctx.user_id} AND owner_id = ${owner_id} AND expired = 0
    AND (expires_at IS NULL OR expires_at > ${seconds(ctx)})`
  await ctx.databases
    .home(owner_id)
    .write([...sharesRevoked(ctx, isLeft, 'grantee'), sql`DELETE FROM shares WHERE ${isLeft}`])
}
