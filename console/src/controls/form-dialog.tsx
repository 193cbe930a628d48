import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Form } from 'react-aria-components'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNote } from './status.tsx'

interface Props {
  title: string
  /** The text of the button that submits. */
  action: string
  look?: 'primary' | 'danger'
  /** Whether the form can be submitted. */
  isAllowed?: boolean
  /** Whether the button gets the focus first, for a form without fields. */
  isActionFocused?: boolean
  onSubmit: () => Promise<unknown>
  onClose: () => void
  children: ReactNode
}

/** A dialog with a form. Stays open and shows the error when the action fails. Render it only while it is open. */
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
        <div className="row dialog-actions">
          {submit.isError && <ErrorNote error={submit.error} />}
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
