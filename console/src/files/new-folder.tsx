import { useState } from 'react'
import { TextField } from '../controls/field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { useActions } from './actions.ts'
import type { FolderId } from './item.ts'

/** A dialog that creates a folder. */
export function NewFolder({ folder, onClose }: { folder: FolderId; onClose: () => void }) {
  const { createFolder } = useActions()
  const [name, setName] = useState('')
  return (
    <FormDialog
      title="New folder"
      action="Create the folder"
      onSubmit={() => createFolder(name.trim(), folder)}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
    </FormDialog>
  )
}
