import type { Asset } from './asset.ts'

export type Rating = NonNullable<Asset['rating']>

/** For whom an asset is, the mildest first. */
export const ratings: Readonly<Record<Rating, string>> = {
  everyone: 'For everyone',
  teen: 'For teens',
  mature: 'For adults',
}

export function isRating(name: unknown): name is Rating {
  return typeof name === 'string' && Object.hasOwn(ratings, name)
}

/** The bounds on ratings, by the highest rating that is shown. */
export const ratingBounds: Readonly<Record<Rating, string>> = {
  mature: 'Any rating',
  teen: 'Up to teens',
  everyone: 'For everyone only',
}
