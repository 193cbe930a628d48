import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import { playerKey } from './player-key.ts'
import { ReasonField, reasonFor } from './reason.tsx'

/** Erases a player with all their content, once their id was typed. */
export function Erasure({ user_id }: { user_id: string }) {
  const { studio } = useSession()
  const cache = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const erase = async () => {
    await studio.users.erase({ user_id }, reasonFor(reason))
    showNotice(`${user_id} is erased. The job removes what there was.`)
    await cache.invalidateQueries({ queryKey: playerKey(user_id) })
  }
  return (
    <>
      <p className="quiet">
        Deletes everything that the player owns: for players who ask to be forgotten. A ban belongs to your
        login, as the player’s next token opens an empty account.
      </p>
      <div>
        <Button look="danger" icon="trash" onPress={() => setAsked(true)}>
          Erase …
        </Button>
      </div>
      {isAsked && (
        <Confirm
          title={`Erase ${user_id}`}
          action="Erase"
          typed={user_id}
          onConfirm={erase}
          onClose={() => setAsked(false)}
        >
          <div className="stack">
            <p>
              Files, assets, saves, uploads, shares in both directions and notifications of {user_id} are gone
              at once. This can’t be undone.
            </p>
            <ReasonField value={reason} onChange={setReason} />
          </div>
        </Confirm>
      )}
    </>
  )
}
