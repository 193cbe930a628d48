import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { UniqueViolation } from '../db/database.ts'
import { isNotErased } from '../db/marks.ts'
import { ApiError } from '../errors.ts'

/** SQL: whether a live asset of the user's has the name. */
export function isTaken(name: string, user_id: string): SQL {
  return sql`EXISTS (
    SELECT 1 FROM game_assets WHERE owner_id = ${user_id} AND name = ${name} AND deleted_at IS NULL AND ${isNotErased}
  )`
}

/** DUPLICATE_ASSET_NAME if the caller has an asset of that name, found out after a write did not happen. */
export async function nameError(
  { db, user_id }: RequestContext,
  name: string,
): Promise<ApiError | undefined> {
  const [answer] = await db.all<{ taken: 0 | 1 }>(sql`SELECT ${isTaken(name, user_id)} AS taken`)
  return answer?.taken ? duplicateName() : undefined
}

/** What a write answers, or DUPLICATE_ASSET_NAME when it met the unique index over the names. */
export async function orDuplicate<Answer>(write: Promise<Answer>): Promise<Answer> {
  return write.catch((error: unknown) => {
    throw error instanceof UniqueViolation ? duplicateName() : error
  })
}

function duplicateName(): ApiError {
  return new ApiError('DUPLICATE_ASSET_NAME', { detail: 'You have an asset of this name. Choose another.' })
}
