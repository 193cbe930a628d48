import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict, type WriteCondition } from '../../platform/db/database.ts'
import { isId, newId } from '../../platform/db/id.ts'
import { type favoriteRecounts, favorites } from '../../platform/db/schema.ts'
import { insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { createdAt, erasedUntil } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { nearOrFar } from '../../platform/shards/near.ts'
import { isReadable, type Viewer } from '../assets/access.ts'
import { ensureUsageRow } from '../quota/usage.ts'

/** The statement that finds an asset, if the user may read it. */
const readableAsset = statement(
  (p: Params<'asset_id' | Viewer>) =>
    sql<{ id: string }>`SELECT id FROM game_assets WHERE id = ${p.asset_id} AND ${isReadable(p)}`,
)

/**
 * The statement that adds a favorite. A row that is being erased becomes one of the new account. `where`: whether the asset is in
 * the same database; then the statement itself requires that the user may read the asset.
 */
const add = perShape((where: 'near' | 'far') =>
  statement((p: Params<'id' | 'asset_id' | Viewer | 'now'>) => {
    const { id, asset_id, user_id } = p
    const row = { user_id, asset_id, id, created_at: createdAt(p.now, user_id) }
    const asset =
      where === 'near' ? sql`FROM game_assets WHERE id = ${asset_id} AND ${isReadable(p)}` : sql`WHERE true`
    return sql`${insert(favorites, row, asset)} ON CONFLICT (asset_id, user_id) DO UPDATE
      SET id = excluded.id, created_at = excluded.created_at WHERE created_at <= ${erasedUntil(user_id)}`
  }),
)

/**
 * Adds an asset that the caller may read to the caller's favorites. Adding it again keeps its place.
 *
 * @throws ASSET_NOT_FOUND, LIMIT_REACHED (favorites)
 */
export async function setFavorite(ctx: RequestContext, asset_id: string): Promise<void> {
  const { db, databases } = ctx
  const isFound = await retryOnConflict(() =>
    nearOrFar(db, databases.of(asset_id), {
      near: (condition) => write(ctx, asset_id, condition),
      // A favorite of an asset that has just become private is a legal state, so nothing depends on both databases at once.
      far: async () => (await isReadableBy(ctx, asset_id)) && write(ctx, asset_id),
    }),
  )
  if (!isFound) throw new ApiError('ASSET_NOT_FOUND')
}

/**
 * Writes the favorite in the caller's home. With a condition, the asset is in the same database. Returns whether the caller may
 * read the asset.
 */
async function write(ctx: RequestContext, asset_id: string, condition?: WriteCondition): Promise<boolean> {
  const { db, user_id, hidden_ratings } = ctx
  const favorite = { id: newId(user_id), asset_id, user_id, hidden_ratings, now: seconds(ctx) }
  const { before, after, readable } = await db.write(
    {
      usage: ensureUsageRow(ctx),
      before: recountOf(favorite),
      added: add(condition ? 'near' : 'far')(favorite),
      after: recountOf(favorite),
      readable: condition ? readableAsset(favorite) : [],
    },
    condition,
  )
  recountLater(ctx, before, after)
  return condition === undefined || readable.length > 0
}

const remove = statement(
  (p: Params<'asset_id' | 'user_id'>) =>
    sql<{ id: string }>`DELETE FROM favorites WHERE user_id = ${p.user_id} AND asset_id = ${p.asset_id}
      AND created_at > ${erasedUntil(p.user_id)} RETURNING id`,
)

/**
 * Takes an asset out of the caller's favorites, also one that the caller may not read any more. An asset that is not among them
 * stays out of them.
 *
 * @throws ASSET_NOT_FOUND when it is not among them, and the caller may not read it
 */
export async function deleteFavorite(ctx: RequestContext, asset_id: string): Promise<void> {
  const { db, user_id } = ctx
  const favorite = { asset_id, user_id }
  const { before, removed, after } = await db.write({
    before: recountOf(favorite),
    removed: remove(favorite),
    after: recountOf(favorite),
  })
  recountLater(ctx, before, after)
  if (removed.length === 0 && !(await isReadableBy(ctx, asset_id))) throw new ApiError('ASSET_NOT_FOUND')
}

/** Whether the user may read an asset, as the primary of its home decides. @throws UNAVAILABLE */
async function isReadableBy(
  { databases, user_id, hidden_ratings }: RequestContext,
  asset_id: string,
): Promise<boolean> {
  if (!isId(asset_id)) return false
  const home = databases.of(asset_id)
  home.usePrimary()
  const [asset] = await home.read(readableAsset({ asset_id, user_id, hidden_ratings }))
  return asset !== undefined
}

type RecountRow = Pick<typeof favoriteRecounts.$inferSelect, 'due_at'>

/** The statement that reads when an asset's recount is due; no row: none is. */
const recountOf = statement(
  (p: Params<'asset_id'>) =>
    sql<RecountRow>`SELECT due_at FROM favorite_recounts WHERE asset_id = ${p.asset_id}`,
)

/**
 * Asks the job of the caller's home to run when a recount is due, if a batch has made it due: `before` and `after` are the
 * answers to `recountOf` around the change. The job is therefore asked once for all changes until the recount. When the job can't
 * be asked, its schedule starts it.
 */
function recountLater(
  { db, config, afterwards, runJobAt }: RequestContext,
  before: readonly RecountRow[],
  after: readonly RecountRow[],
): void {
  const [recount] = after
  if (!recount || before.length > 0 || config.JOB === 'off') return
  const database = db.name
  afterwards(async () => {
    try {
      await runJobAt(database, recount.due_at)
    } catch (error) {
      logWarning('favorites are counted later', { database, error: String(error) })
    }
  })
}
