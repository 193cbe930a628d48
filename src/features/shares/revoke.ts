import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'
import { exists } from '../files/tree/lifecycle.ts'
import { sharesRevoked } from './events.ts'
import { isNotErasedShare, isUnexpired, type ShareRow } from './row.ts'

/**
 * Deletes a share of the caller's, who is its owner or its grantee, also while the file is in the trash
 * (docs/conformance.md#shares). A URL that was signed before stays valid until it expires.
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
 * Deletes all shares that one owner has given the caller (docs/conformance.md#shares), at most MAX_SHARES_PER_GRANTEE.
 * Expired shares stay in their owner's list, because they give no access.
 */
export async function leaveSharesOf(ctx: RequestContext, owner_id: string): Promise<void> {
  const isLeft = sql`grantee_id = ${ctx.user_id} AND owner_id = ${owner_id} AND expired = 0
    AND ${isUnexpired(seconds(ctx))}`
  await ctx.databases
    .home(owner_id)
    .write([...sharesRevoked(ctx, isLeft, 'grantee'), sql`DELETE FROM shares WHERE ${isLeft}`])
}
