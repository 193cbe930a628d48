import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently, dropExpiredKey, recordKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { createdAt } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { searchName } from '../../platform/lib/search-name.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { readOwnAsset } from './access.ts'
import { assetCreated, assetPublished } from './events.ts'
import { orDuplicate } from './name.ts'
import { pageColumns } from './page.ts'
import { type AssetRow, assetColumns } from './row.ts'
import type { CreateAsset } from './schema.ts'

/**
 * Creates an asset without content (docs/conformance.md#3-lifecycles). The unique index over its owner's names lets
 * only one of several concurrent requests create an asset of the same name.
 *
 * @throws DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets), IDEMPOTENCY_KEY_REUSED; ASSET_NOT_FOUND when the
 * asset that the same key created has been deleted since.
 */
export async function createAsset(
  ctx: RequestContext,
  { name, type, visibility, ...page }: CreateAsset,
  key?: IdempotencyKey,
): Promise<AssetRow> {
  const { db, user_id } = ctx
  const now = createdAt(seconds(ctx), user_id)
  const asset = {
    owner_id: user_id,
    type,
    name,
    search_name: searchName(name),
    visibility,
    public_since: visibility === 'public' ? now : null,
    ...pageColumns(page),
    created_at: now,
    updated_at: now,
  }
  return createIdempotently(db, key, {
    create: async () => {
      const id = newId(user_id)
      const statements = {
        usage: ensureUsageRow(ctx),
        created: sql<AssetRow>`${insert(gameAssets, { id, ...asset })} RETURNING ${assetColumns}`,
        events: [
          ...assetCreated(ctx, sql`id = ${id}`),
          ...assetPublished(ctx, sql`id = ${id} AND is_listed = 1`),
        ],
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM game_assets WHERE id = ${id}`),
      }
      const { created } = await orDuplicate(writeAsset(ctx, db, statements, { asset_id: id }))
      return created[0]
    },
    replay: (made_id) => readOwnAsset(ctx, made_id),
    // An INSERT of values writes its row or throws.
    explain: async () => undefined,
  })
}
