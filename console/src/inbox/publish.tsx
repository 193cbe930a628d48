import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { showNotice } from '../controls/notice.tsx'
import { ErrorNote } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { type Draft, MessageFields, messageOf } from './message-fields.tsx'
import { Outcomes } from './outcomes.tsx'

/** Publishes to the inboxes of any users, as the studio's services do with their tokens. */
export function Publish() {
  const { studio, user_id, scopes } = useSession()
  const [recipients, setRecipients] = useState(user_id)
  const [draft, setDraft] = useState<Draft>({
    type: 'friend_request',
    name: 'Grace',
    ownType: 'shop.gift',
    data: '{ "gift_id": "golden-sword" }',
    expiresIn: '',
    isKept: true,
    region: 'none',
  })
  const user_ids = [...new Set(recipients.split('\n').map((id) => id.trim()))].filter((id) => id !== '')
  const publish = useMutation({
    mutationFn: async () => {
      const [first, ...others] = user_ids
      if (first === undefined || others.length > 0)
        return studio.notifications.publishToMany({ user_ids, ...messageOf(draft) })
      await studio.notifications.publish({ user_id: first, ...messageOf(draft) })
      showNotice(`Published to ${first}.`)
      return undefined
    },
  })
  if (!scopes.includes('notifications:publish'))
    return (
      <p className="quiet publish">
        To publish, sign in with the scope <code>notifications:publish</code>: here, or in a second pane.
      </p>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    publish.mutate()
  }
  return (
    <Form className="publish stack" onSubmit={submit}>
      <h2>Publish as a service of the studio</h2>
      <div className="publish-fields">
        <TextField
          label="To the users, one a line"
          value={recipients}
          onChange={setRecipients}
          hint="Up to 100"
          isLong
          isRequired
        />
        <MessageFields draft={draft} onChange={setDraft} />
      </div>
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
