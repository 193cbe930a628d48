import type { ListedFile } from 'edge-game-storage-client'

/** A file or folder, as in lists. */
export type Item = ListedFile

/** A folder by its id; null: the root level. */
export type FolderId = string | null

export const isFolder = ({ asset_type }: Pick<Item, 'asset_type'>): boolean => asset_type === 'folder'

/** Whether the content of a file has arrived. */
export const isReady = ({ processing_state }: Item): boolean => processing_state === 'ready'

/** What each kind of item is called. The name of a kind is also that of its icon. */
export const kinds = {
  folder: 'Folder',
  picture: 'Picture',
  sound: 'Sound',
  video: 'Video',
  json: 'JSON',
  text: 'Text',
  archive: 'Archive',
  file: 'File',
} as const
type Kind = keyof typeof kinds

const archives = /[/-](zip|gzip|tar|zstd|bzip2?|xz|rar|rar-compressed|7z-compressed|java-archive)$/

/** The kind of an item, by its media type. */
export function kindOf({ asset_type, mime_type }: Pick<Item, 'asset_type' | 'mime_type'>): Kind {
  if (asset_type === 'folder') return 'folder'
  if (mime_type === null) return 'file'
  if (mime_type.startsWith('image/')) return 'picture'
  if (mime_type.startsWith('audio/')) return 'sound'
  if (mime_type.startsWith('video/')) return 'video'
  if (mime_type === 'application/json' || mime_type.endsWith('+json')) return 'json'
  if (mime_type.startsWith('text/')) return 'text'
  return archives.test(mime_type) ? 'archive' : 'file'
}

/** The kind of preview that a browser can show for a file; undefined: download only. */
export type PreviewKind = Exclude<Kind, 'folder' | 'archive' | 'file'>

export function previewKind(item: Pick<Item, 'asset_type' | 'mime_type'>): PreviewKind | undefined {
  const kind = kindOf(item)
  if (kind === 'folder' || kind === 'archive' || kind === 'file') return undefined
  // An SVG may hold scripts.
  return item.mime_type === 'image/svg+xml' ? undefined : kind
}

/** Whether a press on an item shows its content. */
export const hasPreview = (item: Item): boolean => isReady(item) && previewKind(item) !== undefined
