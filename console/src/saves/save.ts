import type { Save } from 'edge-game-storage-client'
import { formatBytes, formatDuration } from '../controls/format.ts'

/** The first part of every query key about saves: a change of a save makes all these queries stale. */
export const SAVES = 'saves'

/** What the game says about a save. */
export type Details = Pick<Save, 'device' | 'label' | 'played_seconds' | 'size_bytes'>

/** The details of a save in one line. */
export function detailsText({ device, label, played_seconds, size_bytes }: Details): string {
  const played = played_seconds === null ? undefined : `${formatDuration(played_seconds)} played`
  return [label, device, played, formatBytes(size_bytes)].filter(Boolean).join(' · ')
}

/** The entity tag of a revision, for `ifMatch`. */
export function etagOf({ revision }: Pick<Save, 'revision'>): string {
  return `"${revision}"`
}
