import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import type { Page } from '../db/keyset.ts'
import { newestPage, positionAfter } from './newest.ts'
import type { BrowseAssets } from './public-schema.ts'
import type { AssetRow } from './record.ts'
import { searchAssets, TRIGRAM } from './search.ts'
import { searchName } from './search-name.ts'

/**
 * A page of public assets, newest first (decisions, "Game assets"): all of them, those whose name contains `q`, or,
 * when that is shorter than three characters, those whose name begins with it.
 *
 * @throws INVALID_CURSOR
 */
export async function browseAssets(ctx: RequestContext, query: BrowseAssets): Promise<Page<AssetRow>> {
  ctx.db.usePrimary()
  const { type, q, limit, cursor } = query
  const page = { type, limit, cursor }
  if (q === undefined)
    return newestPage(ctx, ['public', type], {
      ...page,
      index: 'game_assets_listed',
      condition: sql`is_listed = 1`,
    })

  const text = searchName(q)
  const { length } = [...text]
  if (length === 0 || text.includes('\u0000')) return nothing(query)
  if (length >= TRIGRAM) return searchAssets(ctx, query, text)
  const [index, beginning] =
    length === 1
      ? ['game_assets_by_initial', sql`substr(search_name, 1, 1) = ${text}`]
      : ['game_assets_by_two_initials', sql`substr(search_name, 1, 2) = ${text}`]
  const condition = sql`is_listed = 1 AND ${beginning}`
  return newestPage(ctx, ['beginning', text, type], { ...page, index, condition })
}

/** No name is empty or holds a NUL. No page of such a search ever gave out a cursor. */
function nothing({ cursor }: BrowseAssets): Page<AssetRow> {
  positionAfter(cursor, ['nothing'])
  return { rows: [], next_cursor: null }
}
