import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../../controls/button.tsx'
import { Choice } from '../../controls/choice.tsx'
import { Confirm } from '../../controls/confirm.tsx'
import { TextField } from '../../controls/field.tsx'
import { formatTime } from '../../controls/format.ts'
import { localTime, secondsOf } from '../../controls/local-time.ts'
import { showNotice } from '../../controls/notice.tsx'
import { useSession } from '../../session/session.tsx'

const HOUR_MS = 3_600_000

const newerSaves = {
  keep: { text: 'Keep them', hint: 'A slot that was written since stays as it is.' },
  revert: { text: 'Take them back, too', hint: 'What was played since is lost until it is restored.' },
} as const

/** A form that takes the saves of all players back to before a time. It asks before it does. */
export function NewRecall() {
  const { studio, changed } = useSession()
  const [from, setFrom] = useState(() => localTime(Date.now() - HOUR_MS))
  const [until, setUntil] = useState(() => localTime(Date.now()))
  const [newer, setNewer] = useState<keyof typeof newerSaves>('keep')
  const [reason, setReason] = useState('')
  const [names, setNames] = useState('')
  const [isAsked, setAsked] = useState(false)
  const slots = names.split(',').flatMap((name) => name.trim() || [])
  const times = { from: secondsOf(from), until: secondsOf(until) }
  const create = async () => {
    await studio.recalls.create({ ...times, newer, reason, ...(slots.length > 0 && { slots }) })
    showNotice('Recalled: each player’s saves go back when they are next used, within a minute everywhere.')
    setReason('')
    await changed('recalls')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
  }
  return (
    <>
      <Form className="stack" onSubmit={submit}>
        <div className="line">
          <TextField label="Written from" type="datetime-local" value={from} onChange={setFrom} isRequired />
          <TextField label="Until" type="datetime-local" value={until} onChange={setUntil} isRequired />
        </div>
        <TextField label="Reason" value={reason} onChange={setReason} maxLength={500} isRequired />
        <TextField
          label="Slots"
          value={names}
          onChange={setNames}
          hint="Names with commas between them; empty: all of the players’, without those of the studio’s servers."
        />
        <Choice
          label="Saves that were written since"
          options={newerSaves}
          value={newer}
          onChange={setNewer}
        />
        <div>
          <Button type="submit" look="primary">
            Recall …
          </Button>
        </div>
      </Form>
      {isAsked && (
        <Confirm
          title="Recall the saves of all players?"
          action="Recall"
          onConfirm={create}
          onClose={() => setAsked(false)}
        >
          What was written from {formatTime(times.from)} until {formatTime(times.until)} goes back to what was
          there before, for every player, when their saves are next used. What is replaced stays in the
          history of each slot.
        </Confirm>
      )}
    </>
  )
}
