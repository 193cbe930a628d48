import type { Item } from './world.ts'

/** Records as answers have them (specification §2.1). */
export function changedRecord(item: Item, isTop = false) {
  const {
    id,
    owner_id,
    parent_id,
    name,
    asset_type,
    size_bytes,
    is_public,
    blocked,
    created_at,
    updated_at,
  } = item
  return {
    id,
    owner_id,
    parent_id: isTop ? null : parent_id,
    name,
    asset_type,
    size_bytes,
    is_public,
    created_at,
    updated_at,
    ...(blocked && { blocked }),
  }
}

export function fileRecord(item: Item, isTop = false) {
  const { mime_type, processing_state } = item
  return { ...changedRecord(item, isTop), mime_type, processing_state }
}

export function listedRecord(item: Item) {
  return { ...fileRecord(item), ...(item.asset_type === 'folder' && { shortcode: null }) }
}
