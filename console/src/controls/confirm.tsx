import { type ReactNode, useState } from 'react'
import { TextField } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

interface Props {
  title: string
  /** What will happen. */
  children: ReactNode
  /** What the button says that does it. */
  action: string
  /** For what can't be undone: a text that has to be typed first. */
  typed?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something is done. Show it only while it is to be asked. */
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
