import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { TextField } from '../controls/field.tsx'
import { formatTime } from '../controls/format.ts'
import { objectOf } from '../controls/json-field.tsx'
import { localTime, secondsOf } from '../controls/local-time.ts'
import { showNotice } from '../controls/notice.tsx'
import { ownTypeOf } from '../controls/own-type-field.tsx'
import { type Draft, FIRST_DRAFT } from '../inbox/draft.ts'
import { TemplateFields } from '../inbox/draft-fields.tsx'
import { useSession } from '../session/session.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'

const DAY_MS = 86_400_000

const MAINTENANCE: Draft = {
  ...FIRST_DRAFT,
  title: 'Maintenance',
  text: 'We will be back in half an hour.',
  ownType: 'studio.maintenance',
  data: '{ "minutes": 30 }',
}

/** Announces to all users: a title and a text, or a type and JSON in the Developer view, and when the announcement ends. */
export function Announce() {
  const { studio, changed } = useSession()
  const isDeveloper = useDeveloperView()
  const [draft, setDraft] = useState(MAINTENANCE)
  const [ends, setEnds] = useState(() => localTime(Date.now() + DAY_MS))
  const [isAsked, setAsked] = useState(false)
  const { title, text, ownType, data } = draft
  const endsAt = secondsOf(ends)
  const announce = async () => {
    await studio.announcements.publish({
      type: isDeveloper ? ownTypeOf(ownType) : 'studio.message',
      data: isDeveloper ? objectOf(data) : { title, text },
      expires_at: endsAt,
    })
    showNotice('Announced: each inbox has it within a minute, when its player next looks.')
    await changed('announcements')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
  }
  return (
    <>
      <Form className="stack" onSubmit={submit}>
        <TemplateFields
          draft={{ ...draft, template: isDeveloper ? 'own' : 'message' }}
          set={(change) => setDraft({ ...draft, ...change })}
        />
        <TextField label="Ends" type="datetime-local" value={ends} onChange={setEnds} isRequired />
        <div>
          <Button type="submit" look="primary">
            Announce …
          </Button>
        </div>
      </Form>
      {isAsked && (
        <Confirm
          title="Announce to all players?"
          action="Announce to all"
          onConfirm={announce}
          onClose={() => setAsked(false)}
        >
          Each player reads it when they next look, until {formatTime(endsAt)}. Ended earlier, it goes from
          each inbox.
        </Confirm>
      )}
    </>
  )
}
