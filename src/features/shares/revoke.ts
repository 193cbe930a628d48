import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { exists } from '../files/path.ts'
import { shareRevoked } from './events.ts'
import { isNotErasedShare, isUnexpired, type ShareRow } from './row.ts'

const isRevocable = (p: Params<'id' | 'user_id'>) => sql`id = ${p.id} AND ${exists(sql`shares.file_id`)}
  AND ${isNotErasedShare} AND (grantee_id = ${p.user_id} OR owner_id = ${p.user_id})`
const revokedOne = shareRevoked(isRevocable, (p) => sql`iif(owner_id = ${p.user_id}, 'owner', 'grantee')`)
const revoke = statement(
  (p: Params<'id' | 'user_id'>) =>
    sql<Pick<ShareRow, 'id'>>`DELETE FROM shares WHERE ${isRevocable(p)} RETURNING id`,
)

/**
 * Deletes a share of the caller's, who is its owner or its grantee, also while the file is in the trash
 * (docs/conformance.md#shares). A URL that was signed before stays valid until it expires.
 *
 * @throws SHARE_NOT_FOUND
 */
export async function revokeShare(ctx: RequestContext, id: string): Promise<void> {
  const { databases, user_id } = ctx
  const values = { id, user_id, now: seconds(ctx) }
  const { revoked } = await databases
    .of(id)
    .write({ events: revokedOne(ctx, values), revoked: revoke(values) })
  if (revoked.length === 0) throw new ApiError('SHARE_NOT_FOUND')
}

type FromOwner = Params<'owner_id' | 'user_id' | 'now'>
const isLeft = (p: FromOwner) => sql`grantee_id = ${p.user_id} AND owner_id = ${p.owner_id} AND expired = 0
  AND ${isUnexpired(p.now)}`
const leftAll = shareRevoked(isLeft, 'grantee')
const leave = statement((p: FromOwner) => sql`DELETE FROM shares WHERE ${isLeft(p)}`)

/**
 * Deletes all shares that one owner has given the caller (docs/conformance.md#shares), at most MAX_SHARES_PER_GRANTEE.
 * Expired shares stay in their owner's list, because they give no access.
 */
export async function leaveSharesOf(ctx: RequestContext, owner_id: string): Promise<void> {
  const values = { owner_id, user_id: ctx.user_id, now: seconds(ctx) }
  await ctx.databases.home(owner_id).write([...leftAll(ctx, values), leave(values)])
}
