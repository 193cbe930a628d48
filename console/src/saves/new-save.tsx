import { SaveConflict } from 'edge-game-storage-client'
import { useState } from 'react'
import { TextField } from '../controls/field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import { typedContent } from './content.ts'
import { DetailsFields, type Draft, detailsOf } from './details-fields.tsx'

const example: Draft = {
  label: 'The old mill',
  played: '7500',
  content: typedContent('{\n  "level": 3,\n  "coins": 120\n}', 'application/json'),
}

/** A dialog that writes a slot which is not there yet. */
export function NewSave({ onClose }: { onClose: () => void }) {
  const { connect, changed } = useSession()
  // A client that has read nothing writes only slots that are missing.
  const [{ saves }] = useState(connect)
  const [slot, setSlot] = useState('auto')
  const [device, setDevice] = useState('Phone')
  const [draft, setDraft] = useState(example)
  const write = async () => {
    try {
      await saves.write({ slot, bytes: draft.content.bytes, ...detailsOf(draft, device) })
    } catch (error) {
      if (error instanceof SaveConflict)
        throw new Error(`There is a save in the slot ${slot}. Open it to write over it.`, { cause: error })
      throw error
    }
    showNotice(`${slot} is written.`)
    await changed('saves')
  }
  return (
    <FormDialog title="New save" action="Write" onSubmit={write} onClose={onClose}>
      <div className="save-fields">
        <TextField label="Slot" value={slot} onChange={setSlot} isRequired autoFocus />
        <TextField label="Device" value={device} onChange={setDevice} />
      </div>
      <DetailsFields draft={draft} onChange={setDraft} />
    </FormDialog>
  )
}
