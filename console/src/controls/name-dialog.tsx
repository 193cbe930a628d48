import { type ReactNode, useState } from 'react'
import { TextField } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

interface Props {
  title: string
  /** What the button says. */
  action: string
  initial: string
  onSubmit: (name: string) => Promise<unknown>
  onClose: () => void
  /** What will happen. */
  children?: ReactNode
}

/** Asks for a name. It stays open, and says why, when the name is refused. */
export function NameDialog({ title, action, initial, onSubmit, onClose, children }: Props) {
  const [name, setName] = useState(initial)
  return (
    <FormDialog title={title} action={action} onSubmit={() => onSubmit(name)} onClose={onClose}>
      {children && <div>{children}</div>}
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        onFocus={({ target }) => target instanceof HTMLInputElement && target.select()}
        isRequired
        autoFocus
      />
    </FormDialog>
  )
}
