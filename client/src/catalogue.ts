import type { Arguments } from './arguments.ts'
import type { List } from './list.ts'
import type { Operations } from './operations.ts'
import type { RequestOptions } from './options.ts'
import type { components } from './schema.d.ts'

/** An asset as lists show it: without its description and metadata. */
export type GameAssetSummary = components['schemas']['GameAssetSummary']
type Page = components['schemas']['GameAssetPage']

/** Which public assets to list, and in which order. */
export interface CatalogueQuery extends Omit<Arguments<'browseAssets'>, 'tag' | 'exclude_tag'> {
  /** An asset has all of them; at most five. */
  tags?: readonly string[]
  /** An asset has none of them; at most five. */
  exclude_tags?: readonly string[]
}

/** The type of `client.catalogue`. */
export type Catalogue = (query?: CatalogueQuery, options?: RequestOptions) => List<Page, GameAssetSummary>

export function catalogueOf({ browseAssets }: Pick<Operations, 'browseAssets'>): Catalogue {
  return ({ tags = [], exclude_tags = [], ...query } = {}, options) =>
    browseAssets({ ...query, tag: [...tags], exclude_tag: [...exclude_tags] }, options)
}
