import { useState } from 'react'
import { TextField } from '../controls/field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { usePlace } from '../shell/place.tsx'
import { useActions } from './actions.ts'
import type { FolderId } from './item.ts'

/** A dialog that creates a folder, which the list then shows as selected. */
export function NewFolder({ folder, onClose }: { folder: FolderId; onClose: () => void }) {
  const { createFolder } = useActions()
  const { change } = usePlace()
  const [name, setName] = useState('')
  return (
    <FormDialog
      title="New folder"
      action="Create the folder"
      onSubmit={async () => change({ selected: await createFolder(name.trim(), folder) })}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
    </FormDialog>
  )
}
