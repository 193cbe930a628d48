import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { Page, PageRequest } from '../../platform/db/keyset.ts'
import { keptStatements } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { pageOverHints } from '../../platform/shards/pages.ts'
import { readable } from './access.ts'
import { branchHintsOf, MAX_BRANCH_HINTS } from './hints.ts'
import { beyond, type ListedAsset, listedColumns, mergedAssets, positionAfter } from './list.ts'
import { type AssetSummaryRow, assetWithId } from './row.ts'

const keptBranches = keptStatements<ListedAsset>()

/**
 * Lists the branches of an asset that the caller may read, newest first: those in the catalogue and the caller's own. The
 * page is a merge of two indexes, so it reads no row of other users' private branches. Hints at the asset name the partitions
 * with branches (docs/scaling.md).
 *
 * @throws ASSET_NOT_FOUND, INVALID_CURSOR
 */
export async function listBranches(
  ctx: RequestContext,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<AssetSummaryRow>> {
  const list = ['branches', id]
  const after = positionAfter(cursor, list)
  const isBranch = sql`branched_from_asset_id = ${sql.placeholder('id')} ${beyond(after)}`
  const page = keptBranches(
    'page',
    () => sql`SELECT ${listedColumns} FROM game_assets INDEXED BY branches_in_catalogue
        WHERE ${isBranch} AND is_in_catalogue = 1
      UNION ALL
      SELECT ${listedColumns} FROM game_assets INDEXED BY branches_elsewhere
        WHERE ${isBranch} AND is_in_catalogue = 0 AND deleted_at IS NULL AND owner_id = ${sql.placeholder('user_id')}
      ORDER BY id DESC LIMIT ${sql.placeholder('limit')}`,
    { id, user_id: ctx.user_id, after, limit: limit + 1 },
  )
  const windows = await pageOverHints(ctx.databases, {
    at: ctx.databases.of(id),
    hints: () => branchHintsOf(id),
    maxHints: MAX_BRANCH_HINTS,
    page,
    hasMore: (rows) => rows.length > limit,
    along: assetWithId(id),
    accept: ([source]) => {
      if (!readable(source, ctx.user_id)) throw new ApiError('ASSET_NOT_FOUND')
    },
  })
  return mergedAssets(list, windows, limit)
}
