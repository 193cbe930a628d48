import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createIdempotently, dropExpiredKey, type IdempotencyKey, recordKey } from '../db/idempotency.ts'
import { createdAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { nameError } from './name-taken.ts'
import { type AssetRow, assetColumns, ownAsset } from './record.ts'
import type { CreateAsset } from './schema.ts'
import { searchName } from './search-name.ts'

/**
 * Creates an asset without content yet (specification §3.4). The unique index over its owner's names decides who of
 * several comes first.
 *
 * @throws DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets), IDEMPOTENCY_KEY_REUSED; ASSET_NOT_FOUND when the asset that
 * the same key made has gone since.
 */
export async function createAsset(
  ctx: RequestContext,
  input: CreateAsset,
  key?: IdempotencyKey,
): Promise<AssetRow> {
  const { db, user_id } = ctx
  const { name, type, visibility } = input
  const [id, now] = [newId(user_id), createdAt(seconds(ctx), user_id)]
  return createIdempotently(db, key, {
    create: async () => {
      const {
        created: [asset],
      } = await db.batch({
        usage: ensureUsageRow(ctx),
        created: sql<AssetRow>`INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
          VALUES (${id}, ${user_id}, ${type}, ${name}, ${searchName(name)}, ${visibility}, ${now}, ${now})
          RETURNING ${assetColumns}`,
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM game_assets WHERE id = ${id}`),
      })
      return asset
    },
    replay: (made_id) => readOwnAsset(ctx, made_id),
    explain: () => nameError(ctx, name),
  })
}

/** An asset of the caller's that is not deleted. @throws ASSET_NOT_FOUND */
export async function readOwnAsset({ db, user_id }: RequestContext, id: string): Promise<AssetRow> {
  const [asset] = await db.all<AssetRow>(ownAsset(id, user_id))
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}
