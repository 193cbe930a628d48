import { useRef } from 'react'
import { Breadcrumb, Breadcrumbs, Link, useDrop } from 'react-aria-components'
import { Icon } from '../controls/icon.tsx'
import type { Crumb } from './folder.ts'
import type { FolderId } from './item.ts'
import { PublicMark } from './item-row.tsx'
import { dropOperation, useItemDrop } from './use-item-drop.ts'
import { usePublicFolder } from './use-public-folder.ts'

interface Props {
  /** The folders from the root to the current one. */
  path: readonly Crumb[]
  onGo: (folder: FolderId) => void
}

/**
 * The path of the current folder, whose name is the title of the screen, and whether all in it is public. Each folder in it is a
 * link, and a target for dropped items and files.
 */
export function Path({ path, onGo }: Props) {
  const folder = usePublicFolder(path.at(-1)?.id ?? null, path)
  return (
    <nav aria-label="Folders above" className="spread path">
      <Breadcrumbs className="crumbs" onAction={(key) => onGo(key === 'root' ? null : String(key))}>
        {path.map((crumb, index) => (
          <Breadcrumb key={crumb.id} id={crumb.id ?? 'root'} className="crumb">
            {index === path.length - 1 ? (
              <h1 className="page-title cut">
                <FolderLink crumb={crumb} isShown />
              </h1>
            ) : (
              <FolderLink crumb={crumb} isShown={false} />
            )}
            <Icon name="chevron" size={14} />
          </Breadcrumb>
        ))}
      </Breadcrumbs>
      {folder && <PublicMark />}
    </nav>
  )
}

function FolderLink({ crumb: { id, name }, isShown }: { crumb: Crumb; isShown: boolean }) {
  const ref = useRef<HTMLAnchorElement>(null)
  const drop = useItemDrop()
  const { dropProps, isDropTarget } = useDrop({
    ref,
    // The current folder is no target: its items are in it already, and its list accepts files.
    isDisabled: isShown,
    getDropOperation: dropOperation,
    onDrop: ({ items }) => drop(items, id, name),
  })
  return (
    <Link
      ref={ref}
      className="crumb-link"
      data-drop-target={isDropTarget || undefined}
      // Links and drop targets share only the prop onClick, which a drop target ignores.
      render={(props) => <span {...dropProps} {...props} />}
    >
      {name}
    </Link>
  )
}
