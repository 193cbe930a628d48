import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { Select } from '../controls/field.tsx'
import { showError } from '../controls/notice.tsx'
import { chosenFiles } from '../uploads/chosen.ts'
import { useQueue } from '../uploads/uploads.tsx'
import type { FolderId } from './item.ts'
import { usualOrder, type View } from './listing.ts'
import { NewFolder } from './new-folder.tsx'

const sorts = { name: 'Name', created_at: 'Created', size_bytes: 'Size' }
const types = {
  all: 'All types',
  folder: 'Folders',
  file: 'Files',
  profile_pic: 'Profile pictures',
  emote: 'Emotes',
  chat_attachment: 'Chat attachments',
}

interface Props {
  folder: FolderId
  view: View
  onView: (view: View) => void
}

/** Buttons that add items to the folder, and the choice of sort, order and filter. */
export function Toolbar({ folder, view, onView }: Props) {
  const queue = useQueue()
  const [isNaming, setNaming] = useState(false)
  const { sort, order, asset_type } = view
  const add = (files: FileList | null) => void queue.addFiles(chosenFiles(files), folder).catch(showError)
  return (
    <div className="files-tools">
      <FileTrigger allowsMultiple onSelect={add}>
        <Button look="primary" icon="up">
          Upload
        </Button>
      </FileTrigger>
      <FileTrigger acceptDirectory onSelect={add}>
        <Button icon="folder">Upload a folder</Button>
      </FileTrigger>
      <Button icon="plus" onPress={() => setNaming(true)}>
        New folder
      </Button>
      <div className="row files-view">
        <Select
          label="Type"
          isLabelHidden
          options={types}
          value={asset_type ?? 'all'}
          onChange={(type) => onView({ ...view, asset_type: type === 'all' ? undefined : type })}
        />
        <Select
          label="Sort"
          isLabelHidden
          options={sorts}
          value={sort}
          onChange={(next) => onView({ ...view, sort: next, order: usualOrder[next] })}
        />
        <IconButton
          look="plain"
          icon={order === 'asc' ? 'ascending' : 'descending'}
          label={order === 'asc' ? 'Ascending order. Reverse it' : 'Descending order. Reverse it'}
          onPress={() => onView({ ...view, order: order === 'asc' ? 'desc' : 'asc' })}
        />
      </div>
      {isNaming && <NewFolder folder={folder} onClose={() => setNaming(false)} />}
    </div>
  )
}
