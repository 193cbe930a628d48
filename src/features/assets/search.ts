import type { RequestContext } from '../../platform/context.ts'
import { type Page, positionAt } from '../../platform/db/keyset.ts'
import { searchName } from '../../platform/lib/search-name.ts'
import { facetsOf, initialsOf } from '../catalogue/facets.ts'
import { cataloguePage } from '../catalogue/page.ts'
import type { CatalogueRow } from '../catalogue/row.ts'
import { searchCatalogue, TRIGRAM } from '../catalogue/search.ts'
import type { BrowseAssets } from './browse-schema.ts'

/**
 * Lists the assets in the catalogue (docs/catalogue.md): all of them, those whose name contains `q`, or, when `q` is shorter than
 * three characters, those whose name begins with `q`.
 *
 * @throws INVALID_CURSOR
 */
export async function browseAssets(
  ctx: RequestContext,
  { type, tag, exclude_tag, owner_id, q, sort, ...page }: BrowseAssets,
): Promise<Page<CatalogueRow>> {
  const facets = facetsOf({ type, tags: tag, excluded_tags: exclude_tag, owner_id })
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
