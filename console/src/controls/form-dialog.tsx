import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Form } from 'react-aria-components'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNote } from './status.tsx'

interface Props {
  title: string
  /** What the button says that does it. */
  action: string
  look?: 'primary' | 'danger'
  /** Whether it can be done yet. */
  isAllowed?: boolean
  /** Whether the button is focused first, when no field is. */
  isActionFocused?: boolean
  onSubmit: () => Promise<unknown>
  onClose: () => void
  children: ReactNode
}

/** Asks for what is needed to do something. It stays open, and says why, when that fails. Show it only while it asks. */
export function FormDialog(props: Props) {
  const { title, action, look = 'primary', isAllowed = true, isActionFocused = false, children } = props
  const submit = useMutation({ mutationFn: props.onSubmit, onSuccess: props.onClose })
  return (
    <Dialog title={title} isOpen onClose={props.onClose}>
      <Form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isAllowed) submit.mutate()
        }}
      >
        {children}
        {submit.isError && <ErrorNote error={submit.error} />}
        <div className="row dialog-actions">
          <Button slot="close">Cancel</Button>
          <Button
            type="submit"
            look={look}
            isPending={submit.isPending}
            isDisabled={!isAllowed}
            autoFocus={isActionFocused}
          >
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
