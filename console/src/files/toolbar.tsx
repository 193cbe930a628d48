import { useRef, useState } from 'react'
import {
  Button as AriaButton,
  FileTrigger,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
} from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Icon } from '../controls/icon.tsx'
import { showError } from '../controls/notice.tsx'
import { chooseFolder } from '../uploads/choose.ts'
import { chosenFiles } from '../uploads/chosen.ts'
import { useQueue } from '../uploads/uploads.tsx'
import type { FolderId } from './item.ts'
import { NewFolder } from './new-folder.tsx'
import { useIsWide } from './use-is-wide.ts'
import { ViewOptions, type ViewOptionsProps } from './view-options.tsx'

interface Props extends Omit<ViewOptionsProps, 'isNarrow'> {
  folder: FolderId
}

/** How wide the tools have to be for all in one row. */
const WIDE = 860

/** Buttons that add items to the folder, and the choice of what is shown, and how. */
export function Toolbar({ folder, ...view }: Props) {
  const queue = useQueue()
  const [isNaming, setNaming] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const isWide = useIsWide(box, WIDE)
  const add = (files: FileList | null) => void queue.addFiles(chosenFiles(files), folder).catch(showError)
  return (
    <div className="files-tools" ref={box}>
      <FileTrigger allowsMultiple onSelect={add}>
        <Button look="primary" icon="up">
          Upload
        </Button>
      </FileTrigger>
      {isWide ? (
        <>
          <Button icon="folder-up" onPress={() => chooseFolder(add)}>
            Upload a folder
          </Button>
          <Button icon="plus" onPress={() => setNaming(true)}>
            New folder
          </Button>
        </>
      ) : (
        <MenuTrigger>
          <AriaButton className="button plain square" aria-label="More to add">
            <Icon name="plus" />
          </AriaButton>
          <Popover className="popover">
            <Menu className="menu" aria-label="More to add">
              <MenuItem className="menu-item" textValue="New folder" onAction={() => setNaming(true)}>
                <Icon name="plus" />
                New folder
              </MenuItem>
              <MenuItem className="menu-item" textValue="Upload a folder" onAction={() => chooseFolder(add)}>
                <Icon name="folder-up" />
                Upload a folder
              </MenuItem>
            </Menu>
          </Popover>
        </MenuTrigger>
      )}
      <ViewOptions {...view} isNarrow={!isWide} />
      {isNaming && <NewFolder folder={folder} onClose={() => setNaming(false)} />}
    </div>
  )
}
