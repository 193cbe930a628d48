import { useMutation } from '@tanstack/react-query'
import type { RecallForecast } from 'edge-game-storage-client'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../../controls/button.tsx'
import { TextField } from '../../controls/field.tsx'
import { ErrorNote } from '../../controls/status.tsx'
import { NeedsScope } from '../../session/needs-scope.tsx'
import { useSession } from '../../session/session.tsx'

/** What a recall comes to for one player, without doing it. */
export function OfPlayer({ recall_id }: { recall_id: string }) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen)
    return (
      <div>
        <Button onPress={() => setOpen(true)}>Try it for a player</Button>
      </div>
    )
  return (
    <NeedsScope scope="players:read">
      <Trial recall_id={recall_id} />
    </NeedsScope>
  )
}

function Trial({ recall_id }: { recall_id: string }) {
  const { onBehalfOf } = useSession()
  const [user_id, setUserId] = useState('')
  const trial = useMutation({
    mutationFn: async (id: string) => {
      const { recall } = await onBehalfOf(id, (send) => send).saves.list({ recall: recall_id })
      return recall
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    trial.mutate(user_id)
  }
  return (
    <div className="stack">
      <Form className="line" onSubmit={submit}>
        <TextField label="User id" value={user_id} onChange={setUserId} isRequired autoFocus />
        <Button type="submit" isPending={trial.isPending}>
          Try it
        </Button>
      </Form>
      <div aria-live="polite">
        {trial.data && <Forecast forecast={trial.data} />}
        {trial.isError && <ErrorNote error={trial.error} />}
      </div>
    </div>
  )
}

function Forecast({ forecast: { is_applied, slots } }: { forecast: RecallForecast }) {
  if (is_applied) return <p className="small">These saves have applied it: nothing more happens.</p>
  if (slots.length === 0) return <p className="small">It concerns none of these saves.</p>
  return (
    <ul className="small">
      {slots.map(({ slot, outcome, revision, to_revision }) => (
        <li key={slot}>
          <bdi>{slot}</bdi>{' '}
          {outcome === 'reverted' && `goes back from revision ${revision} to ${to_revision}`}
          {outcome === 'kept' && `stays at revision ${revision}, because it was written since`}
          {outcome === 'without_earlier' && `stays at revision ${revision}, because there is no earlier one`}
        </li>
      ))}
    </ul>
  )
}
