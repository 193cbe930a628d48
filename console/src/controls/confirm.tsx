import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { ErrorNote } from './status.tsx'

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

/** Asks before something is done. It stays open, and says why, when that fails. Show it only while it is to be asked. */
export function Confirm({ title, children, action, typed, onConfirm, onClose }: Props) {
  const [text, setText] = useState('')
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  const isAllowed = typed === undefined || text === typed
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isAllowed) confirm.mutate()
        }}
      >
        <div>{children}</div>
        {typed !== undefined && (
          <TextField label={`Type ${typed} to confirm`} value={text} onChange={setText} autoFocus />
        )}
        {confirm.isError && <ErrorNote error={confirm.error} />}
        <div className="row dialog-actions">
          <Button slot="close">Cancel</Button>
          <Button
            type="submit"
            look="danger"
            isPending={confirm.isPending}
            isDisabled={!isAllowed}
            autoFocus={typed === undefined}
          >
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
