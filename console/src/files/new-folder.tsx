import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { useActions } from './actions.ts'
import type { FolderId } from './item.ts'

/** Asks for the name of a new folder. */
export function NewFolder({ folder, onClose }: { folder: FolderId; onClose: () => void }) {
  const { createFolder } = useActions()
  const [name, setName] = useState('')
  const [isPending, setPending] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setPending(true)
    const isDone = await createFolder(name.trim(), folder)
    setPending(false)
    if (isDone) onClose()
  }
  return (
    <Dialog title="New folder" isOpen onClose={onClose}>
      <Form className="stack" onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
        <Button type="submit" look="primary" isPending={isPending}>
          Create the folder
        </Button>
      </Form>
    </Dialog>
  )
}
