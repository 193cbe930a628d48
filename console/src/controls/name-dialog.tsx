import { type ReactNode, useState } from 'react'
import { TextField } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

interface Props {
  title: string
  /** The text of the button that submits. */
  action: string
  initial: string
  onSubmit: (name: string) => Promise<unknown>
  onClose: () => void
  /** The consequences, in words. */
  children?: ReactNode
}

/** A dialog that asks for a name. Stays open and shows the error when the name is rejected. */
export function NameDialog({ title, action, initial, onSubmit, onClose, children }: Props) {
  const [name, setName] = useState(initial)
  return (
    <FormDialog title={title} action={action} onSubmit={() => onSubmit(name)} onClose={onClose}>
      {children && <div>{children}</div>}
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
    </FormDialog>
  )
}
