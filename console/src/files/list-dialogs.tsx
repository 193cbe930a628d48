import { SharesDialog } from '../shares/shares-dialog.tsx'
import type { Item } from './item.ts'
import { MoveDialog } from './move-dialog.tsx'
import { ReplaceDialog } from './replace-dialog.tsx'

/** What the user opens of an item or of several. The preview and the details are in the address. */
export type Opened =
  | { what: 'preview' | 'details' | 'shares'; item: Item }
  | { what: 'move'; items: readonly Item[] }
  | { what: 'replace'; item: Item; content: File }

/** The open dialog of the list. */
export function ListDialogs({ opened, onClose }: { opened: Opened | undefined; onClose: () => void }) {
  if (opened?.what === 'shares') return <SharesDialog item={opened.item} onClose={onClose} />
  if (opened?.what === 'move') return <MoveDialog items={opened.items} onClose={onClose} />
  if (opened?.what === 'replace')
    return <ReplaceDialog item={opened.item} content={opened.content} onClose={onClose} />
  return null
}
