import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { UniqueViolation } from '../../platform/db/session.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'

/** SQL: whether a live asset of the user's has the name. */
export function isTaken(name: SQL, user_id: SQL): SQL {
  return sql`EXISTS (
    SELECT 1 FROM game_assets WHERE owner_id = ${user_id} AND name = ${name} AND deleted_at IS NULL AND ${isNotErased}
  )`
}

/** The statement that reads whether a live asset of the user's has the name. */
export const probeName = statement(
  (p: Params<'name' | 'user_id'>) =>
    sql<{ is_taken: 0 | 1 }>`SELECT ${isTaken(p.name, p.user_id)} AS is_taken`,
)

/** DUPLICATE_ASSET_NAME when a live asset of the caller's has the name; undefined otherwise. */
export async function nameError(
  { db, user_id }: RequestContext,
  name: string,
): Promise<ApiError | undefined> {
  const [answer] = await db.read(probeName({ name, user_id }))
  return answer?.is_taken ? duplicateName() : undefined
}

/** The unique index over the names of an owner's live assets, by its columns as SQLite names them. */
const NAME_INDEX = 'game_assets.owner_id, game_assets.name'

/** Passes on the result of a write. @throws DUPLICATE_ASSET_NAME when the write violates the unique index over names */
export async function orDuplicate<Result>(write: Promise<Result>): Promise<Result> {
  return write.catch((error: unknown) => {
    throw error instanceof UniqueViolation && error.columns === NAME_INDEX ? duplicateName() : error
  })
}

/** The error for a name that another live asset of the caller's has. */
export function duplicateName(): ApiError {
  return new ApiError('DUPLICATE_ASSET_NAME', { detail: 'You have an asset of this name. Choose another.' })
}
