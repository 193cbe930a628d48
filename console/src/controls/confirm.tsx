import { type ReactNode, useState } from 'react'
import { TextField } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

interface Props {
  title: string
  /** The consequences, in words. */
  children: ReactNode
  /** The text of the button that confirms. */
  action: string
  /** A text that the user has to type first, for an action that can't be undone. */
  typed?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** A dialog that asks for confirmation. Render it only while it is open. */
export function Confirm({ title, children, action, typed, onConfirm, onClose }: Props) {
  const [text, setText] = useState('')
  return (
    <FormDialog
      title={title}
      action={action}
      look="danger"
      isAllowed={typed === undefined || text === typed}
      isActionFocused={typed === undefined}
      onSubmit={onConfirm}
      onClose={onClose}
    >
      <div>{children}</div>
      {typed !== undefined && (
        <TextField label={`Type ${typed} to confirm`} value={text} onChange={setText} autoFocus />
      )}
    </FormDialog>
  )
}
