import type { AssetChannel } from 'edge-game-storage-client'
import type { DragTypes, DropOperation } from 'react-aria-components'
import type { Version } from '../asset.ts'

export type Channel = AssetChannel

/** The channel that everybody gets. */
export const LIVE = 'live'

/** The most channels that an asset has. */
export const MOST_CHANNELS = 10

/** The media type of the label of a channel that is dragged. */
export const CHANNEL = 'application/x-console-channel'

/** The operation of a drop where files are taken: labels of channels go to versions alone. */
export function filesOnly(types: DragTypes, allowed: readonly DropOperation[]): DropOperation {
  return types.has(CHANNEL) ? 'cancel' : (allowed[0] ?? 'cancel')
}

/** Content of a version. */
export interface Content {
  /** null: for all. */
  platform: string | null
  size_bytes: number
  checksum_sha256: string | null
}

/** The version's own content, and that of its variants. */
export function contentsOf({ platform, size_bytes, checksum_sha256, variants }: Version): Content[] {
  return [{ platform, size_bytes, checksum_sha256 }, ...variants]
}

/** The platforms for which any of the versions has content; null, for all, comes first. */
export function platformsOf(versions: readonly Version[]): (string | null)[] {
  const platforms = versions.flatMap(contentsOf).map(({ platform }) => platform)
  return [...new Set(platforms)].sort((one, other) => (one ?? '').localeCompare(other ?? ''))
}

type Range = Pick<Version, 'min_build' | 'max_build'>

/** The builds that can read a version: 'from 120', 'up to 140', '120–140' or 'any'. */
export function buildsText({ min_build, max_build }: Range): string {
  if (min_build === null) return max_build === null ? 'any' : `up to ${max_build}`
  if (max_build === null) return `from ${min_build}`
  return min_build === max_build ? `${min_build}` : `${min_build}–${max_build}`
}

export function isFor({ min_build, max_build }: Range, build: number): boolean {
  return build >= (min_build ?? 0) && build <= (max_build ?? Number.POSITIVE_INFINITY)
}
