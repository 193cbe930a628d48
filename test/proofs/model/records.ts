import type { Item } from './world.ts'

/** Records as answers have them (docs/conformance.md#2-records): what is not taken out here is in all of them. */
export function changedRecord(item: Item, isTop = false) {
  const { mime_type, processing_state, ...record } = fileRecord(item, isTop)
  return record
}

export function fileRecord(item: Item, isTop = false) {
  const { trashed_at, content, changes, etags, blocked, parent_id, ...record } = item
  return { ...record, parent_id: isTop ? null : parent_id, ...(blocked && { blocked }) }
}

export function listedRecord(item: Item) {
  return { ...fileRecord(item), ...(item.asset_type === 'folder' && { shortcode: null }) }
}
