import type { ReactNode } from 'react'
import { type DropItem, DropZone, isFileDropItem } from 'react-aria-components'
import { showError } from '../controls/notice.tsx'
import type { Asset } from './asset.ts'
import { filesOnly } from './releases/release.ts'

interface Props {
  asset: Asset
  /** Called with the content. */
  onContent: (content: File) => void
  children: ReactNode
}

/** Takes a file that is dropped on its children, or pasted there, as the content of the next version of an asset. */
export function VersionDrop({ asset: { name }, onContent, children }: Props) {
  async function drop(items: readonly DropItem[]): Promise<void> {
    const [file] = items
    if (items.length !== 1 || !file || !isFileDropItem(file))
      throw new Error(`Drop one file, and no folder: it becomes the next version of ${name}.`)
    onContent(await file.getFile())
  }
  return (
    <DropZone
      className="stack asset-page"
      aria-label={`Drop or paste the next version of ${name}`}
      getDropOperation={filesOnly}
      onDrop={({ items }) => void drop(items).catch(showError)}
    >
      {children}
    </DropZone>
  )
}
