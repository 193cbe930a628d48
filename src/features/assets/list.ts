import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type GameAssetType, gameAssetTypes } from '../../platform/db/enumerations.ts'
import {
  byId,
  isText,
  type Page,
  type PageRequest,
  pageOf,
  positionAt,
  positionedPage,
} from '../../platform/db/keyset.ts'
import { ratingsAbove } from '../../platform/db/ratings.ts'
import { joined, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { erasedUntil, isNotErased } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { searchName } from '../../platform/lib/text.ts'
import { pageOverHints } from '../../platform/shards/pages.ts'
import { mergedPage } from '../../platform/shards/windows.ts'
import { facetsOf, initialsOf } from '../catalogue/facets.ts'
import { cataloguePage } from '../catalogue/page.ts'
import type { CatalogueRow } from '../catalogue/row.ts'
import { searchCatalogue, TRIGRAM } from '../catalogue/search.ts'
import { readable } from './access.ts'
import { branchHintsOf, MAX_BRANCH_HINTS } from './hints.ts'
import { type AssetSummaryRow, assetWithId, summaryColumns } from './row.ts'
import type { BrowseAssets, ListAssets } from './schema.ts'

/** A row of a list, and whether it has been erased with its owner. */
type ListedAsset = AssetSummaryRow & { is_erased: 0 | 1 }

/** SQL: the columns of a ListedAsset. */
const listedColumns = sql`${summaryColumns}, NOT ${isNotErased} AS is_erased`

/**
 * Lists the caller's assets, or those that can be restored, newest first (docs/conformance.md#game-assets).
 *
 * @throws INVALID_CURSOR
 */
export async function listAssets(
  { db, user_id }: RequestContext,
  { type, deleted, limit, cursor }: ListAssets,
): Promise<Page<AssetSummaryRow>> {
  const list = ['assets', type, deleted]
  const after = positionAfter(cursor, list)
  const page = newestAssets({ type, deleted, isFirst: after === null })
  const rows = await db.read(page({ user_id, after, limit: limit + 1 }))
  return withoutErased(pageOf(list, rows, limit, byId))
}

interface Shape {
  /** undefined: assets of all types. */
  type: GameAssetType | undefined
  deleted: boolean
  isFirst: boolean
}

/**
 * The statement that reads a page of the user's assets, newest first, and one row more: the row shows that there is a
 * next page. Ids sort by time and the index ends in type and id, so a page of all types is a merge of one SELECT for each type,
 * and reads one row ahead in each.
 */
const newestAssets = perShape(({ type, deleted, isFirst }: Shape) =>
  statement((p: Params<'user_id' | 'after' | 'limit'>) => {
    const index = sql.raw(deleted ? 'game_assets_deleted' : 'game_assets_own')
    const isListed = deleted ? sql`deleted_at IS NOT NULL AND purging = 0` : sql`deleted_at IS NULL`
    const ofType = (one: GameAssetType) =>
      sql`SELECT ${listedColumns} FROM game_assets INDEXED BY ${index}
        WHERE owner_id = ${p.user_id} AND ${isListed} AND created_at > ${erasedUntil(p.user_id)}
          AND type = ${one} ${beyond(isFirst, p.after)}`
    return sql<ListedAsset>`${joined((type ? [type] : gameAssetTypes).map(ofType), ' UNION ALL ')}
      ORDER BY id DESC LIMIT ${p.limit}`
  }),
)

/** SQL: a further condition, `AND …`, that selects the rows after the id `after`, newest first; none for a first page. */
function beyond(isFirst: boolean, after: SQL): SQL {
  return isFirst ? sql.empty() : sql`AND id < ${after}`
}

/** The id after which the page begins; null for the first page. @throws INVALID_CURSOR */
function positionAfter(cursor: string | undefined, list: readonly unknown[]): string | null {
  return positionAt(cursor, list, isText)?.id ?? null
}

/**
 * The page without erased assets. The page may be shorter than its limit: to fill it would cost as many rows as the job has
 * still to remove.
 */
function withoutErased({ rows, next_cursor }: Page<ListedAsset>): Page<AssetSummaryRow> {
  return { rows: rows.filter(({ is_erased }) => !is_erased), next_cursor }
}

const newestBranches = perShape((isFirst: boolean) =>
  statement((p: Params<'source_id' | 'user_id' | 'after' | 'limit'>) => {
    const isBranch = sql`branched_from_asset_id = ${p.source_id} ${beyond(isFirst, p.after)}`
    return sql<ListedAsset>`SELECT ${listedColumns} FROM game_assets INDEXED BY branches_in_catalogue
      WHERE ${isBranch} AND is_in_catalogue = 1
    UNION ALL
    SELECT ${listedColumns} FROM game_assets INDEXED BY branches_elsewhere
      WHERE ${isBranch} AND is_in_catalogue = 0 AND deleted_at IS NULL AND owner_id = ${p.user_id}
    ORDER BY id DESC LIMIT ${p.limit}`
  }),
)

/**
 * Lists the branches of an asset that the caller may read, newest first: those in the catalogue and the caller's own. The
 * page is a merge of two indexes, so it reads no row of other users' private branches. It is shorter than its limit where branches have
 * a rating that is hidden from the caller. Hints at the asset name the partitions with branches (docs/scaling.md).
 *
 * @throws ASSET_NOT_FOUND, INVALID_CURSOR
 */
export async function listBranches(
  ctx: RequestContext,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<AssetSummaryRow>> {
  const { databases, user_id } = ctx
  const list = ['branches', id]
  const after = positionAfter(cursor, list)
  const windows = await pageOverHints(databases, {
    at: databases.of(id),
    hints: () => branchHintsOf({ source_id: id }),
    maxHints: MAX_BRANCH_HINTS,
    page: newestBranches(after === null)({ source_id: id, user_id, after, limit: limit + 1 }),
    hasMore: (rows) => rows.length > limit,
    along: assetWithId({ id }),
    accept: ([source]) => {
      if (!readable(source, ctx)) throw new ApiError('ASSET_NOT_FOUND')
    },
  })
  const { rows, last } = mergedPage(windows, limit)
  const page = withoutErased(positionedPage(list, rows, last && { key: byId(), id: last.id }))
  return { ...page, rows: page.rows.flatMap((branch) => readable(branch, ctx) ?? []) }
}

/**
 * Lists the assets in the catalogue (docs/catalogue.md): all of them, those whose name contains `q`, or, when `q` is shorter than
 * three characters, those whose name begins with `q`.
 *
 * @throws INVALID_CURSOR
 */
export async function browseAssets(
  ctx: RequestContext,
  { type, tag, exclude_tag, owner_id, platform, max_rating, q, sort, ...page }: BrowseAssets,
): Promise<Page<CatalogueRow>> {
  const { user_id, hidden_ratings, config } = ctx
  const facets = facetsOf({
    type,
    tags: tag,
    excluded_tags: exclude_tag,
    owner_id,
    platform,
    hidden: ratingsAbove(max_rating, config.UNRATED_AS),
    viewer: { user_id, hidden_ratings },
  })
  if (q === undefined) return cataloguePage(ctx, { sort, facets }, page)
  const text = searchName(q)
  const { length } = [...text]
  if (length === 0 || text.includes('\u0000')) return emptyPage(page.cursor)
  if (length >= TRIGRAM) return searchCatalogue(ctx, { text, facets }, page)
  const beginning = { ...facets, required: [...facets.required, initialsOf(text)] }
  return cataloguePage(ctx, { sort, facets: beginning }, page)
}

/** The page of a text that is in no name: no name is empty or contains NUL. There is no next page, so any cursor is invalid. */
function emptyPage(cursor: string | undefined): Page<CatalogueRow> {
  positionAt(cursor, ['nothing'], (_key): _key is never => false)
  return { rows: [], next_cursor: null }
}
