import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { JsonField, objectOf } from '../controls/json-field.tsx'
import { showNotice } from '../controls/notice.tsx'
import { OwnTypeField, ownTypeOf } from '../controls/own-type-field.tsx'
import { ErrorNote } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'

const DAY_MS = 86_400_000

/** Announces to all users: a type, data, and when the announcement ends. */
export function Announce() {
  const { studio, changed } = useSession()
  const [type, setType] = useState('studio.maintenance')
  const [data, setData] = useState('{ "minutes": 30 }')
  const [ends, setEnds] = useState(() => localTime(Date.now() + DAY_MS))
  const announce = useMutation({
    mutationFn: () =>
      studio.announcements.publish({
        type: ownTypeOf(type),
        data: objectOf(data),
        expires_at: Math.floor(new Date(ends).getTime() / 1_000),
      }),
    onSuccess: () => {
      showNotice('It is announced: within a minute everywhere.')
      return changed('announcements')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    announce.mutate()
  }
  return (
    <Form className="stack" onSubmit={submit}>
      <div className="line">
        <OwnTypeField value={type} onChange={setType} />
        <TextField label="Ends" type="datetime-local" value={ends} onChange={setEnds} isRequired />
      </div>
      <JsonField label="Data, as a JSON object" value={data} onChange={setData} />
      <div>
        <Button type="submit" look="primary" isPending={announce.isPending}>
          Announce
        </Button>
      </div>
      {announce.isError && <ErrorNote error={announce.error} />}
    </Form>
  )
}

/** A time in milliseconds as the value of a field of the type datetime-local, in the reader's time zone. */
function localTime(time_ms: number): string {
  const offset_ms = new Date(time_ms).getTimezoneOffset() * 60_000
  return new Date(time_ms - offset_ms).toISOString().slice(0, 16)
}
