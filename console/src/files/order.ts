import { type Item, isFolder } from './item.ts'

/** What a list is sorted by: by the service, except for `updated_at`, by which the page sorts what is loaded. */
export type Sort = 'name' | 'size_bytes' | 'updated_at' | 'created_at'

/** The order of a list. */
export interface Order {
  sort: Sort
  order: 'asc' | 'desc'
  /** Whether folders are before everything else. */
  areFoldersFirst: boolean
}

/** The order of each sort that is not reversed: the service's default. */
export const usualOrder = { name: 'asc', size_bytes: 'desc', updated_at: 'desc', created_at: 'desc' } as const

/** The order of a list that is to be sorted by this: the reverse, if it is already. */
export function sortedBy<Shown extends Order>(shown: Shown, sort: Sort): Shown {
  const reverse = shown.order === 'asc' ? 'desc' : 'asc'
  return { ...shown, sort, order: shown.sort === sort ? reverse : usualOrder[sort] }
}

/** Compares items in the order of the service's lists (docs/files.md), names ignoring ASCII case, ties by id; or folders first. */
export function compare(one: Item, other: Item, { sort, order, areFoldersFirst }: Order): number {
  const isOther = (item: Item) => Number(!isFolder(item))
  if (areFoldersFirst && isOther(one) !== isOther(other)) return isOther(one) - isOther(other)
  const direction = order === 'asc' ? 1 : -1
  const value = (item: Item) => (sort === 'name' ? folded(item.name) : item[sort])
  return direction * (difference(value(one), value(other)) || difference(one.id, other.id))
}

const folded = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

function difference(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}
