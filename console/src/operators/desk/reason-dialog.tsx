import { useRef, useState } from 'react'
import { TextField } from '../../controls/field.tsx'
import { FormDialog } from '../../controls/form-dialog.tsx'

interface Props {
  user_id: string
  before: string
  /** Called once, with an empty text when no reason was given. */
  onClose: (reason: string) => void
}

/** Asks why somebody acts for a player. The reason is kept for the desk. */
export function ReasonDialog({ user_id, before, onClose }: Props) {
  const [reason, setReason] = useState(before)
  const given = useRef('')
  return (
    <FormDialog
      title={`Why do you act for ${user_id}?`}
      action="Go on"
      isAllowed={reason.trim() !== ''}
      onSubmit={async () => {
        given.current = reason.trim()
      }}
      onClose={() => onClose(given.current)}
    >
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={500}
        hint="The audit has it with each act. It is kept until you leave this player."
        placeholder="Ticket 4711: deleted by mistake"
        autoFocus
        isRequired
      />
    </FormDialog>
  )
}
