import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { selectAll, TextField } from '../controls/field.tsx'
import { showNotice } from '../controls/notice.tsx'
import { ErrorNote } from '../controls/status.tsx'
import { NeedsScope } from '../session/needs-scope.tsx'
import { useSession } from '../session/session.tsx'
import { type Draft, FIRST_DRAFT, previewOf, publicationOf } from './draft.ts'
import { DraftFields } from './draft-fields.tsx'
import { notePublished } from './known-inboxes.ts'
import { NotificationContent } from './notification.tsx'
import { Outcomes } from './outcomes.tsx'

/** Publishes to the inboxes of any users, as the studio's services do with their tokens. */
export function Publish() {
  return (
    <section className="publish stack" aria-label="New notification">
      <h2>New notification</h2>
      <NeedsScope scope="notifications:publish">
        <PublishForm />
      </NeedsScope>
    </section>
  )
}

function PublishForm() {
  const { studio, user_id } = useSession()
  const [recipients, setRecipients] = useState(user_id)
  const [draft, setDraft] = useState<Draft>(FIRST_DRAFT)
  const [opened_at] = useState(() => Math.floor(Date.now() / 1_000))
  const user_ids = [...new Set(recipients.split('\n').map((id) => id.trim()))].filter((id) => id !== '')
  const publish = useMutation({
    mutationFn: async () => {
      const [first, ...others] = user_ids
      if (first === undefined || others.length > 0)
        return studio.notifications.publishToMany({ user_ids, ...publicationOf(draft) })
      await studio.notifications.publish({ user_id: first, ...publicationOf(draft) })
      showNotice(`Published to ${first}.`)
      return undefined
    },
    onSuccess: () => notePublished(user_ids),
  })
  const preview = previewOf(draft, opened_at)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    publish.mutate()
  }
  return (
    <Form className="stack" onSubmit={submit}>
      <TextField
        label="To the users, one a line"
        value={recipients}
        onChange={setRecipients}
        hint="Up to 100. To all players: Operators, Announcements"
        isLong
        isRequired
        autoFocus
        onFocus={selectAll}
      />
      <DraftFields draft={draft} onChange={setDraft} />
      {preview && (
        <section className="draft-preview" aria-label="Preview">
          <div className="notification unread">
            <NotificationContent notification={preview} />
          </div>
        </section>
      )}
      <div>
        <Button type="submit" look="primary" isPending={publish.isPending}>
          {user_ids.length > 1 ? `Publish to ${user_ids.length}` : 'Publish'}
        </Button>
      </div>
      {publish.isError && <ErrorNote error={publish.error} />}
      {publish.data && <Outcomes results={publish.data.results} />}
    </Form>
  )
}
