import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import {
  createIdempotently,
  dropExpiredKey,
  type IdempotencyKey,
  keyRecorder,
} from '../../platform/db/idempotency.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { searchName } from '../../platform/lib/text.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { readOwnAsset } from './access.ts'
import { assetCreated, newAssetPublished } from './events.ts'
import { orDuplicate } from './name.ts'
import { type AssetRow, assetColumns, newPage, pageColumns } from './row.ts'
import type { CreateAsset } from './schema.ts'

type NewAsset = 'id' | 'user_id' | 'type' | 'name' | 'search_name' | 'visibility' | 'now'

const insertAsset = statement((p: Params<NewAsset | keyof ReturnType<typeof pageColumns>>) => {
  const now = createdAt(p.now, p.user_id)
  const asset = {
    id: p.id,
    owner_id: p.user_id,
    type: p.type,
    name: p.name,
    search_name: p.search_name,
    visibility: p.visibility,
    public_since: sql`iif(${p.visibility} = 'public', ${now}, NULL)`,
    ...newPage(p),
    created_at: now,
    updated_at: now,
  }
  return sql<AssetRow>`${insert(gameAssets, asset)} RETURNING ${assetColumns}`
})

/** The statement that records a new asset under the key of its request. */
export const recordAsset = keyRecorder(
  (p: Params<'id'>) => sql`SELECT id FROM game_assets WHERE id = ${p.id}`,
)

/**
 * Creates an asset without content (docs/conformance.md#game-assets). The unique index over its owner's names lets
 * only one of several concurrent requests create an asset of the same name.
 *
 * @throws DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets, idempotency_keys), IDEMPOTENCY_KEY_REUSED; ASSET_NOT_FOUND when the
 * asset that the same key created has been deleted since.
 */
export async function createAsset(
  ctx: RequestContext,
  { name, type, visibility, ...page }: CreateAsset,
  key?: IdempotencyKey,
): Promise<AssetRow> {
  const { db, user_id } = ctx
  return createIdempotently(db, key, {
    create: async () => {
      const id = newId(user_id)
      const asset = { id, user_id, type, name, search_name: searchName(name), visibility, now: seconds(ctx) }
      const statements = {
        usage: ensureUsageRow(ctx),
        created: insertAsset({ ...asset, ...pageColumns(page) }),
        events: [...assetCreated(ctx, { id }), ...newAssetPublished(ctx, { id })],
        expired_key: dropExpiredKey(key),
        key: recordAsset(key, { id }),
      }
      const { created } = await orDuplicate(writeAsset(ctx, db, statements, { asset_id: id }))
      return created[0]
    },
    replay: (made_id) => readOwnAsset(ctx, made_id),
    // An INSERT of values writes its row or throws.
    explain: async () => undefined,
  })
}
