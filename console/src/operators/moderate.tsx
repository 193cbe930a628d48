import { useMutation } from '@tanstack/react-query'
import type { BlockedKind } from 'edge-game-storage-client/studio'
import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { showError, showNotice, showUndo } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import { blockThing, unblockThing } from './block.ts'

interface Props {
  kind: BlockedKind
  id: string
  name: string
}

/** Blocks the file or the asset that is shown, with a reason. Shown to moderators only. */
export function BlockButton({ kind, id, name }: Props) {
  const { studio, scopes, changed } = useSession()
  const [isAsked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  if (!scopes.includes('content:moderate')) return null
  const block = async () => {
    await blockThing(studio, kind, id, reason)
    showUndo(`${name} is blocked. Operators, Blocks lists it.`, async () => {
      await unblockThing(studio, kind, id)
      await changed('blocks')
    })
    await changed('blocks')
  }
  return (
    <>
      <Button look="danger" icon="shield" aria-label={`Block ${name}`} onPress={() => setAsked(true)}>
        Block
      </Button>
      {isAsked && (
        <FormDialog
          title={`Block ${name}?`}
          action="Block"
          look="danger"
          onSubmit={block}
          onClose={() => setAsked(false)}
        >
          <p>
            Only its owner sees it from then on. URLs that were handed out before are valid until they expire.
          </p>
          <TextField
            label="Reason, for moderators"
            value={reason}
            onChange={setReason}
            maxLength={500}
            placeholder="A copied logo"
            autoFocus
          />
        </FormDialog>
      )}
    </>
  )
}

/** Ends the block of an asset that moderators can't see either. Shown to them only. */
export function UnblockButton({ id }: { id: string }) {
  const { studio, scopes, changed } = useSession()
  const unblock = useMutation({
    mutationFn: () => unblockThing(studio, 'assets', id),
    onSuccess: () => {
      showNotice('It is not blocked.')
      return changed('blocks')
    },
    onError: showError,
  })
  if (!scopes.includes('content:moderate')) return null
  return (
    <Button onPress={() => unblock.mutate()} isPending={unblock.isPending}>
      Unblock it
    </Button>
  )
}
