import type { components } from 'edge-game-storage-client'
import type { IconName } from '../controls/icon.tsx'

/** A file or folder, as in lists. */
export type Item = components['schemas']['ListedFile']

/** A folder by its id; null: the root level. */
export type FolderId = string | null

export const isFolder = ({ asset_type }: Pick<Item, 'asset_type'>): boolean => asset_type === 'folder'

/** Whether the content of a file has arrived. */
export const isReady = ({ processing_state }: Item): boolean => processing_state === 'ready'

/** The kind of preview that a browser can show for a file; undefined: download only. */
export type PreviewKind = 'picture' | 'sound' | 'video' | 'text'

export function previewKind(mime_type: string | null): PreviewKind | undefined {
  if (mime_type === null || mime_type === 'image/svg+xml') return undefined
  if (mime_type.startsWith('image/')) return 'picture'
  if (mime_type.startsWith('audio/')) return 'sound'
  if (mime_type.startsWith('video/')) return 'video'
  return mime_type.startsWith('text/') || mime_type === 'application/json' ? 'text' : undefined
}

export function iconOf({ asset_type, mime_type }: Pick<Item, 'asset_type' | 'mime_type'>): IconName {
  if (asset_type === 'folder') return 'folder'
  return previewKind(mime_type) === 'picture' ? 'picture' : 'file'
}
