import type { GameAssetSummary, List } from 'edge-game-storage-client'

/** The number of cards that fill a screen. */
const SCREENFUL = 20

/** Reads pages until they fill a screen or end: a page of a search may be short or empty although more follow. */
export async function screenful(
  list: List<{ assets: GameAssetSummary[]; next_cursor: string | null }, GameAssetSummary>,
) {
  const assets: GameAssetSummary[] = []
  let next_cursor: string | null = null
  for await (const page of list.pages()) {
    assets.push(...page.assets)
    next_cursor = page.next_cursor
    if (assets.length >= SCREENFUL) break
  }
  return { assets, next_cursor }
}
