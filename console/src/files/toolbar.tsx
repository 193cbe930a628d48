import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { showError } from '../controls/notice.tsx'
import { chosenFiles } from '../uploads/chosen.ts'
import { useQueue } from '../uploads/uploads.tsx'
import type { FolderId } from './item.ts'
import { NewFolder } from './new-folder.tsx'
import { ViewOptions, type ViewOptionsProps } from './view-options.tsx'

interface Props extends ViewOptionsProps {
  folder: FolderId
}

/** Buttons that add items to the folder, and the choice of what is shown, and how. */
export function Toolbar({ folder, ...view }: Props) {
  const queue = useQueue()
  const [isNaming, setNaming] = useState(false)
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
      <ViewOptions {...view} />
      {isNaming && <NewFolder folder={folder} onClose={() => setNaming(false)} />}
    </div>
  )
}
