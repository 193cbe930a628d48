import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Icon, type IconName } from '../controls/icon.tsx'
import { chooseFile } from '../uploads/choose.ts'
import { useQueue } from '../uploads/uploads.tsx'
import { useActions } from './actions.ts'
import { type Item, isFolder, isReady, previewKind } from './item.ts'
import type { Opened } from './list-dialogs.tsx'

interface Props {
  item: Item
  onRename: () => void
  onOpened: (opened: Opened) => void
}

/** The menu of actions on an item. */
export function ItemMenu({ item, onRename, onOpened }: Props) {
  const { download, setPublic, showInProfile, remove } = useActions()
  const queue = useQueue()
  const hasContent = !isFolder(item) && isReady(item)
  return (
    <MenuTrigger>
      {/* No tooltip, because each row that scrolls into view would have to render one. */}
      <Button className="button quiet square" aria-label={`Actions for ${item.name}`}>
        <Icon name="more" />
      </Button>
      <Popover className="popover">
        <Menu className="menu" aria-label={`Actions for ${item.name}`}>
          {hasContent && previewKind(item.mime_type) !== undefined && (
            <Choice icon="search" onAction={() => onOpened({ what: 'preview', item })}>
              Preview
            </Choice>
          )}
          {item.processing_state === 'failed' && (
            <Choice icon="search" onAction={() => onOpened({ what: 'preview', item })}>
              Why it failed
            </Choice>
          )}
          {hasContent && (
            <Choice icon="down" onAction={() => void download(item)}>
              Download
            </Choice>
          )}
          {hasContent && (
            <Choice icon="up" onAction={() => chooseFile((content) => queue.addContent(content, item))}>
              Upload new content
            </Choice>
          )}
          {hasContent && (
            <Choice icon="share" onAction={() => onOpened({ what: 'shares', item })}>
              Share
            </Choice>
          )}
          {hasContent && item.asset_type === 'profile_pic' && (
            <Choice icon="user" onAction={() => void showInProfile(item)}>
              Use as profile picture
            </Choice>
          )}
          <Choice icon="pencil" onAction={onRename}>
            Rename
          </Choice>
          <Choice icon="folder" onAction={() => onOpened({ what: 'move', items: [item] })}>
            Move to …
          </Choice>
          <Choice icon="globe" onAction={() => void setPublic(item, !item.is_public)}>
            {item.is_public ? 'Make private' : 'Make public'}
          </Choice>
          <Choice icon="trash" onAction={() => void remove([item])}>
            Delete
          </Choice>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

function Choice(props: { icon: IconName; onAction: () => void; children: string }) {
  const { icon, onAction, children } = props
  return (
    <MenuItem className="menu-item" onAction={onAction} textValue={children}>
      <Icon name={icon} />
      {children}
    </MenuItem>
  )
}
