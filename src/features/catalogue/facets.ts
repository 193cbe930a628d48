import { type GameAssetType, gameAssetTypes, type Rating, ratings } from '../../platform/db/enumerations.ts'
import { isRatedWithin } from '../../platform/db/ratings.ts'

/** The filter of a list of the catalogue. */
export interface CatalogueFilter {
  type?: GameAssetType | undefined
  /** An entry has each of them. */
  tags: readonly string[]
  /** An entry has none of them. */
  excluded_tags: readonly string[]
  owner_id?: string | undefined
  /** An entry has content for it, or for all platforms. */
  platform?: string | undefined
  /** An entry has none of these ratings (`ratingsAbove`). */
  hidden: string
  /** Whoever reads. An entry of another owner has none of `hidden_ratings`. */
  viewer: { user_id: string; hidden_ratings: string }
}

/** The facets that an entry must have, and those that it must not have, as entries.ts writes them. */
export interface Facets extends Pick<CatalogueFilter, 'platform' | 'hidden' | 'viewer'> {
  required: string[]
  excluded: string[]
}

/**
 * The facet of an entry whose content is not for all platforms, and the beginning of the facets of the platforms that it is for. An entry
 * with content for all has neither, as those from before there were platforms.
 */
export const [NOT_FOR_ALL, FOR] = [':only', ':for:']

/** The facets of a filter. */
export function facetsOf({ type, tags, excluded_tags, owner_id, ...others }: CatalogueFilter): Facets {
  const { platform, hidden, viewer } = others
  return {
    required: [
      ...(type === undefined ? [] : [`:${type}`]),
      ...tags.map(ofTag),
      ...(owner_id === undefined ? [] : [ofOwner(owner_id)]),
    ],
    excluded: excluded_tags.map(ofTag),
    platform,
    hidden,
    viewer,
  }
}

/** The facet of names that begin with a text of one or two characters. */
export function initialsOf(text: string): string {
  return `=${hexOf(text)}`
}

/**
 * The name of the list with these facets, in its cursors. Facets have no spaces. Not the ratings that are hidden from the viewer: a
 * list goes on with a token that has another bound.
 */
export function nameOfList({ required, excluded, platform, hidden }: Facets): string[] {
  return [
    ...required,
    'without',
    ...excluded,
    ...(platform === undefined ? [] : ['for', platform]),
    ...(hidden === '' ? [] : ['hidden', hidden]),
  ]
}

/** The columns of an entry that decide whether it matches. */
interface Entry {
  owner_id: string
  rating: Rating | null
  /** Its facets, with a space before and behind each. */
  all_facets: string
}

/** Whether an entry matches. */
export function matches({ owner_id, rating, all_facets }: Entry, facets: Facets): boolean {
  const { required, excluded, platform, hidden, viewer } = facets
  const has = (facet: string) => all_facets.includes(` ${facet} `)
  const isForPlatform = platform === undefined || !has(NOT_FOR_ALL) || has(FOR + platform)
  const isSeen = owner_id === viewer.user_id || isRatedWithin(rating, viewer.hidden_ratings)
  return (
    required.every(has) && !excluded.some(has) && isForPlatform && isSeen && isRatedWithin(rating, hidden)
  )
}

/** The parts of a full-text query that a bound on ratings adds. */
interface Bound {
  wanted: string[]
  unwanted: string[]
}

/**
 * The bound that hides some ratings, except of the owner's entries, if an owner is given. An entry has its rating as a facet, and none
 * without a rating: a bound that shows the entries without a rating excludes the facets above it, any other one requires one below it.
 */
function boundOf(hidden: string, owner?: string): Bound {
  if (hidden === '') return { wanted: [], unwanted: [] }
  const of = (isHidden: boolean) =>
    ratings.filter((rating) => isRatedWithin(rating, hidden) !== isHidden).map((rating) => `:${rating}`)
  const own = owner === undefined ? [] : [ofOwner(owner)]
  if (!isRatedWithin(null, hidden)) return { wanted: [anyOf([...of(false), ...own])], unwanted: [] }
  const above = anyOf(of(true))
  return {
    wanted: [],
    unwanted: [owner === undefined ? above : `(${above} NOT ${phraseOf(ofOwner(owner))})`],
  }
}

/** The phrases of a full-text query that an entry must match, and those that it must not match. */
function phrasesOf({ required, excluded, platform, hidden, viewer }: Facets): Bound {
  const isForOthers =
    platform === undefined ? [] : [`(${phraseOf(NOT_FOR_ALL)} NOT ${phraseOf(FOR + platform)})`]
  const bounds = [boundOf(hidden), boundOf(viewer.hidden_ratings, viewer.user_id)]
  return {
    wanted: [...required.map(phraseOf), ...bounds.flatMap(({ wanted }) => wanted)],
    unwanted: [...excluded.map(phraseOf), ...isForOthers, ...bounds.flatMap(({ unwanted }) => unwanted)],
  }
}

/** The full-text query for the facet of one entry in 4,096 (migrations/0016_catalogue.sql). */
export const STOP = '":stop"'

/**
 * Whether `matchOf` also finds the entries with STOP: only when it combines facets, and not for an owner, who has few entries
 * (MAX_PUBLIC_ASSETS). With one facet all entries match.
 */
export function findsStops(facets: Facets): boolean {
  const { wanted, unwanted } = phrasesOf(facets)
  const isOfOwner = facets.required.some((facet) => facet.startsWith('@'))
  return Math.max(wanted.length, 1) + unwanted.length > 1 && !isOfOwner
}

/**
 * The text to MATCH in a full-text table of facets: `("a" OR ":stop") AND ("b" OR ":stop")`, and for excluded facets
 * `(…) NOT (("x" OR "y") NOT ":stop")`.
 *
 * To find the next entry with both a and b, the table compares the two lists of entries until an entry is in both. If no entry has
 * both, it compares the lists to their end, however small the page is. An entry with STOP is in both lists and never excluded, so the
 * table finds an entry after 4,096 others, on average. The caller drops those that do not match (`matches`).
 */
export function matchOf(facets: Facets): string {
  const { wanted, unwanted } = phrasesOf(facets)
  const hasStops = findsStops(facets)
  const orStop = (phrase: string) => (hasStops ? `(${phrase} OR ${STOP})` : phrase)
  const all = wanted.length > 0 ? wanted.map(orStop).join(' AND ') : ANY
  if (unwanted.length === 0) return all
  const any = `(${unwanted.join(' OR ')})`
  return `(${all}) NOT ${hasStops ? `(${any} NOT ${STOP})` : any}`
}

/** A phrase, which a full-text query takes literally. No facet has a quote: a tag has letters, digits, - and _, other texts are in hexadecimal. */
function phraseOf(facet: string): string {
  return `"${facet}"`
}

function anyOf(facets: readonly string[]): string {
  return `(${facets.map(phraseOf).join(' OR ')})`
}

/** Each entry has one of the types. A full-text query can't begin with NOT. */
const ANY = anyOf(gameAssetTypes.map((type) => `:${type}`))

function ofTag(tag: string): string {
  return `#${tag}`
}

function ofOwner(owner_id: string): string {
  return `@${hexOf(owner_id)}`
}

/** A text in UTF-8, as SQLite's hex() writes it. */
function hexOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
}
