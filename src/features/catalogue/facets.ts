import { type GameAssetType, gameAssetTypes } from '../../platform/db/enumerations.ts'

/** The filter of a list of the catalogue. */
export interface CatalogueFilter {
  type?: GameAssetType | undefined
  /** An entry has each of them. */
  tags: readonly string[]
  /** An entry has none of them. */
  excluded_tags: readonly string[]
  owner_id?: string | undefined
}

/** The facets that an entry must have, and those that it must not have, as entries.ts writes them. */
export interface Facets {
  required: string[]
  excluded: string[]
}

/** The facets of a filter. */
export function facetsOf({ type, tags, excluded_tags, owner_id }: CatalogueFilter): Facets {
  return {
    required: [
      ...(type === undefined ? [] : [`:${type}`]),
      ...tags.map(ofTag),
      ...(owner_id === undefined ? [] : [`@${hexOf(owner_id)}`]),
    ],
    excluded: excluded_tags.map(ofTag),
  }
}

/** The facet of names that begin with a text of one or two characters. */
export function initialsOf(text: string): string {
  return `=${hexOf(text)}`
}

/** The name of the list with these facets, in its cursors. Facets have no spaces. */
export function nameOfList({ required, excluded }: Facets): string[] {
  return [...required, 'without', ...excluded]
}

/** Whether an entry matches: `entry_facets` are its own, with a space before and behind each. */
export function matches(entry_facets: string, { required, excluded }: Facets): boolean {
  const has = (facet: string) => entry_facets.includes(` ${facet} `)
  return required.every(has) && !excluded.some(has)
}

/** The full-text query for the facet of one entry in 4,096 (migrations/0016_catalogue.sql). */
export const STOP = '":stop"'

/**
 * Whether `matchOf` also finds the entries with STOP: only when it combines facets, and not for an owner, who has few entries
 * (MAX_PUBLIC_ASSETS). With one facet all entries match.
 */
export function findsStops({ required, excluded }: Facets): boolean {
  return (
    Math.max(required.length, 1) + excluded.length > 1 && !required.some((facet) => facet.startsWith('@'))
  )
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
  const { required, excluded } = facets
  const hasStops = findsStops(facets)
  const orStop = (phrase: string) => (hasStops ? `(${phrase} OR ${STOP})` : phrase)
  const wanted = required.length > 0 ? required.map((facet) => orStop(phraseOf(facet))).join(' AND ') : ANY
  if (excluded.length === 0) return wanted
  const unwanted = anyOf(excluded)
  return `(${wanted}) NOT ${hasStops ? `(${unwanted} NOT ${STOP})` : unwanted}`
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

/** A text in UTF-8, as SQLite's hex() writes it. */
function hexOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
}
