import { useRef } from 'react'
import { Breadcrumb, Breadcrumbs, Link, useDrop } from 'react-aria-components'
import { Icon } from '../controls/icon.tsx'
import type { FolderId } from './item.ts'
import type { Crumb } from './place.ts'
import { dropOperation, useItemDrop } from './use-item-drop.ts'

interface Props {
  /** The folders from the root to the one that is shown. */
  path: readonly Crumb[]
  onGo: (folder: FolderId) => void
}

/** The folders above, each a way there, and a place to drop items and files on. */
export function Path({ path, onGo }: Props) {
  return (
    <nav aria-label="Folders above" className="spread path">
      <Breadcrumbs className="crumbs" onAction={(key) => onGo(key === 'root' ? null : String(key))}>
        {path.map((crumb, index) => (
          <Breadcrumb key={crumb.id} id={crumb.id ?? 'root'} className="crumb">
            <FolderLink crumb={crumb} isShown={index === path.length - 1} />
            <Icon name="chevron" size={14} />
          </Breadcrumb>
        ))}
      </Breadcrumbs>
    </nav>
  )
}

function FolderLink({ crumb: { id, name }, isShown }: { crumb: Crumb; isShown: boolean }) {
  const ref = useRef<HTMLAnchorElement>(null)
  const drop = useItemDrop()
  const { dropProps, isDropTarget } = useDrop({
    ref,
    // What is in the folder that is shown is there already; its list takes files.
    isDisabled: isShown,
    getDropOperation: dropOperation,
    onDrop: ({ items }) => drop(items, id, name),
  })
  return (
    <Link
      ref={ref}
      className="crumb-link"
      data-drop-target={isDropTarget || undefined}
      // They have only onClick in common; that of drops does nothing.
      render={(props) => <span {...dropProps} {...props} />}
    >
      {name}
    </Link>
  )
}
