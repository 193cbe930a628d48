import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { searchName } from '../../platform/lib/search-name.ts'
import { DAY } from '../../platform/lib/time-units.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isOwnAsset, rejectWrite } from './access.ts'
import { assetPublished } from './events.ts'
import { orDuplicate } from './name.ts'
import { pageColumns } from './page.ts'
import { type AssetRow, assetColumns } from './row.ts'
import type { EditAsset } from './schema.ts'

/** How long an asset has to be private until it is published anew: shorter pauses would keep it among the newest. */
const SHORTEST_PAUSE = DAY

/**
 * Renames an asset of the caller's, or changes who may see it, or its page (docs/conformance.md#45-game-assets). Every
 * edit raises the revision, also one that sets what the asset has already.
 *
 * @throws ASSET_NOT_FOUND, PRECONDITION_FAILED, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets)
 */
export async function editAsset(
  ctx: RequestContext,
  id: string,
  { name, visibility, ...page }: EditAsset,
  expected: ExpectedRevisions = null,
): Promise<AssetRow> {
  const now = updatedAt(seconds(ctx))
  const isOwn = isOwnAsset(id, ctx.user_id)
  const canEdit = sql`${isOwn} AND ${revisionIn(expected)}`
  const changes = {
    name,
    search_name: name === undefined ? undefined : searchName(name),
    visibility,
    ...sinces(visibility, now),
    ...pageColumns(page),
    revision: sql`revision + 1`,
    updated_at: now,
  }
  const statements = {
    usage: ensureUsageRow(ctx),
    events:
      visibility === 'public'
        ? assetPublished(ctx, sql`${canEdit} AND visibility = 'private' AND blocked = 0`)
        : [],
    edited: sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, changes)}
      WHERE ${canEdit} RETURNING ${assetColumns}`,
  }
  const removes = visibility === 'private' || page.listed === false ? canEdit : undefined
  return retryOnConflict(async () => {
    const {
      edited: [asset],
    } = await orDuplicate(writeAsset(ctx, ctx.db, statements, { asset_id: id, removes }))
    return asset ?? rejectWrite(ctx, isOwn, expected)
  })
}

/** The times of an asset that becomes public or private. One that was never public has no `private_since`. */
function sinces(visibility: EditAsset['visibility'], now: SQL) {
  const isBrief = sql`private_since > ${now} - ${SHORTEST_PAUSE}`
  return {
    public_since:
      visibility === 'public'
        ? sql`iif(visibility = 'public' OR ${isBrief}, public_since, ${now})`
        : undefined,
    private_since:
      visibility === 'private' ? sql`iif(visibility = 'public', ${now}, private_since)` : undefined,
  }
}
