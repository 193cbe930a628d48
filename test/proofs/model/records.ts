import type { Answer } from '../../support/exchange.ts'
import type { Item } from './files.ts'

/** Records as answers have them (docs/conformance.md): what is not taken out here is in all of them. */
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

interface Shown {
  id?: unknown
  mime_type: unknown
}

/** The answer with some files as pending, if they are processing. */
export function settled(answer: Answer, isPending: (file: Shown) => boolean): Answer {
  const body: unknown = JSON.parse(answer.text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('mime_type' in value)) return value
    const isProcessing = 'processing_state' in value && value.processing_state === 'processing'
    return isProcessing && isPending(value) ? { ...value, processing_state: 'pending' } : value
  })
  return { ...answer, text: JSON.stringify(body), body }
}
