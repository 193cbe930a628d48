import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { ErrorNote } from '../controls/status.tsx'

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

/** Asks for the name of an asset. It stays open, and says why, when the name is refused. */
export function NameDialog({ title, action, initial, onSubmit, onClose, children }: Props) {
  const [name, setName] = useState(initial)
  const submit = useMutation({ mutationFn: onSubmit, onSuccess: onClose })
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          submit.mutate(name)
        }}
      >
        {children && <div>{children}</div>}
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          onFocus={({ target }) => target instanceof HTMLInputElement && target.select()}
          isRequired
          autoFocus
        />
        {submit.isError && <ErrorNote error={submit.error} />}
        <div className="row dialog-actions">
          <Button slot="close">Cancel</Button>
          <Button type="submit" look="primary" isPending={submit.isPending}>
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
