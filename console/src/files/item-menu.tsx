import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Icon, type IconName } from '../controls/icon.tsx'
import { chooseFile } from '../uploads/choose.ts'
import { useActions } from './actions.ts'
import { hasPreview, type Item, isFolder, isReady } from './item.ts'
import type { Opened } from './list-dialogs.tsx'

interface Props {
  item: Item
  onRename: (id: string) => void
  onOpened: (opened: Opened) => void
}

/** The button with the menu of actions on an item. */
export function ItemMenu(props: Props) {
  return (
    <MenuTrigger>
      {/* No tooltip, because each row that scrolls into view would have to render one. */}
      <Button className="button quiet square item-menu" aria-label={`Actions for ${props.item.name}`}>
        <Icon name="more" />
      </Button>
      <Popover className="popover">
        <ItemActions {...props} />
      </Popover>
    </MenuTrigger>
  )
}

/** The menu of actions on an item. `onClose`: called after an action, where no MenuTrigger is around. */
export function ItemActions({ item, onRename, onOpened, onClose }: Props & { onClose?: () => void }) {
  const { download, setPublic, showInProfile, remove } = useActions()
  const hasContent = !isFolder(item) && isReady(item)
  return (
    <Menu
      className="menu"
      aria-label={`Actions for ${item.name}`}
      {...(onClose && { onClose, autoFocus: 'first' })}
    >
      {hasPreview(item) && (
        <Choice icon="search" onAction={() => onOpened({ what: 'preview', item })}>
          Preview
        </Choice>
      )}
      {item.processing_state === 'failed' && (
        <Choice icon="search" onAction={() => onOpened({ what: 'preview', item })}>
          Why it failed
        </Choice>
      )}
      <Choice icon="info" onAction={() => onOpened({ what: 'details', item })}>
        Details
      </Choice>
      {hasContent && (
        <Choice icon="down" onAction={() => void download(item)}>
          Download
        </Choice>
      )}
      {hasContent && (
        <Choice
          icon="up"
          onAction={() => chooseFile((content) => onOpened({ what: 'replace', item, content }))}
        >
          Upload new content
        </Choice>
      )}
      {(hasContent || isFolder(item)) && (
        <Choice icon="share" onAction={() => onOpened({ what: 'shares', item })}>
          Share
        </Choice>
      )}
      {hasContent && item.asset_type === 'profile_pic' && (
        <Choice icon="user" onAction={() => void showInProfile(item)}>
          Use as profile picture
        </Choice>
      )}
      <Choice icon="pencil" onAction={() => onRename(item.id)}>
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
