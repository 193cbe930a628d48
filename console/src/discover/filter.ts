import type { Client } from 'edge-game-storage-client'
import { type Asset, isTypeChoice, type TypeChoice, typeOf } from '../assets/asset.ts'
import { isRating, type Rating } from '../assets/rating.ts'
import type { Place } from '../shell/address.ts'

type CatalogueQuery = NonNullable<Parameters<Client['catalogue']['list']>[0]>

/** The orders of the catalogue. */
export const sorts = { published: 'Newest', updated: 'Recently updated', popular: 'Most popular' } as const

/** A tag that assets must have, or must not have. */
export interface TagFilter {
  tag: string
  isExcluded: boolean
}

/** Which public assets are shown, and in which order. */
export interface Filter {
  type: TypeChoice
  /** The text to search for in names; empty: all assets. */
  q: string
  sort: keyof typeof sorts
  tags: readonly TagFilter[]
  /** The user whose assets are shown; empty: all users. */
  owner: string
  /** The highest rating of the assets that are shown. */
  upTo: Rating
}

/** The filter in the query of a place; `q` is the text as it stands in the field. */
export function filterOf({
  type,
  q = '',
  sort,
  tags = '',
  not = '',
  owner = '',
  rating,
}: Place['query']): Filter {
  return {
    type: isTypeChoice(type) ? type : 'all',
    q,
    sort: sort !== undefined && isSort(sort) ? sort : 'published',
    tags: [...tagsIn(tags, false), ...tagsIn(not, true)],
    owner,
    upTo: isRating(rating) ? rating : 'mature',
  }
}

/** Tags as the query of a place has them, separated by commas, which no tag has. */
export function queryOfTags(tags: readonly TagFilter[]): Place['query'] {
  const joined = (excluded: boolean) =>
    tags
      .filter(({ isExcluded }) => isExcluded === excluded)
      .map(({ tag }) => tag)
      .join(',')
  return { tags: joined(false), not: joined(true) }
}

function tagsIn(text: string, isExcluded: boolean): TagFilter[] {
  return text
    .split(',')
    .filter(Boolean)
    .slice(0, MAX_TAGS)
    .map((tag) => ({ tag, isExcluded }))
}

function isSort(name: string): name is Filter['sort'] {
  return Object.hasOwn(sorts, name)
}

/** How many tags of each kind a search takes. */
const MAX_TAGS = 5

/** A filter as the query of the service. The service searches in its default order only. */
export function queryOf({ type, q, sort, tags, owner, upTo }: Filter): CatalogueQuery {
  return {
    ...typeOf(type),
    ...(owner !== '' && { owner_id: owner }),
    ...(upTo !== 'mature' && { max_rating: upTo }),
    ...(q === '' ? { sort } : { q }),
    tag: tags.filter(({ isExcluded }) => !isExcluded).map(({ tag }) => tag),
    exclude_tag: tags.filter(({ isExcluded }) => isExcluded).map(({ tag }) => tag),
  }
}

/** Whether all assets of a type are shown, in whichever order. */
export function isUnfiltered({ q, tags, owner, upTo }: Filter): boolean {
  return q === '' && tags.length === 0 && owner === '' && upTo === 'mature'
}

/** How many assets the suggestions are taken from, so that a long list costs no more than a short one. */
const MOST_LOOKED_AT = 100

/** The tags of assets, the most frequent first, without those of a filter. */
export function tagsOfAssets(assets: readonly Asset[], filtered: readonly TagFilter[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { tags } of assets.slice(0, MOST_LOOKED_AT))
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  for (const { tag } of filtered) counts.delete(tag)
  return [...counts].sort(([, one], [, other]) => other - one).map(([tag]) => tag)
}

/** The tags with one more, or with one turned into its contrary. Undefined: a search takes no more of this kind. */
export function withTag(tags: readonly TagFilter[], added: TagFilter): readonly TagFilter[] | undefined {
  const isThere = tags.some(({ tag }) => tag === added.tag)
  const next = isThere ? tags.map((one) => (one.tag === added.tag ? added : one)) : [...tags, added]
  const ofKind = next.filter(({ isExcluded }) => isExcluded === added.isExcluded)
  return ofKind.length > MAX_TAGS ? undefined : next
}
