import { SharesDialog } from '../shares/shares-dialog.tsx'
import type { Item } from './item.ts'
import { MoveDialog } from './move-dialog.tsx'
import { Preview } from './preview.tsx'

/** The open dialog of the list, with its items. */
export type Opened = { what: 'preview' | 'shares'; item: Item } | { what: 'move'; items: readonly Item[] }

export function ListDialogs({ opened, onClose }: { opened: Opened | undefined; onClose: () => void }) {
  if (opened?.what === 'preview') return <Preview item={opened.item} onClose={onClose} />
  if (opened?.what === 'shares') return <SharesDialog item={opened.item} onClose={onClose} />
  if (opened?.what === 'move') return <MoveDialog items={opened.items} onClose={onClose} />
  return null
}
