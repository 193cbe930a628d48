import type { ReactNode } from 'react'
import { type DropItem, DropZone, isFileDropItem } from 'react-aria-components'
import { showError } from '../controls/notice.tsx'
import { useQueue } from '../uploads/uploads.tsx'
import type { Asset } from './asset.ts'

/** Uploads a file that is dropped on its children, or pasted there, as the next version of an asset. */
export function VersionDrop({ asset: { id, name }, children }: { asset: Asset; children: ReactNode }) {
  const queue = useQueue()
  async function drop(items: readonly DropItem[]): Promise<void> {
    const [file] = items
    if (items.length !== 1 || !file || !isFileDropItem(file))
      throw new Error(`Drop one file, and no folder: it becomes the next version of ${name}.`)
    queue.addVersion(await file.getFile(), name, { kind: 'version', asset_id: id })
  }
  return (
    <DropZone
      className="stack asset-page"
      aria-label={`Drop or paste the next version of ${name}`}
      onDrop={({ items }) => void drop(items).catch(showError)}
    >
      {children}
    </DropZone>
  )
}
