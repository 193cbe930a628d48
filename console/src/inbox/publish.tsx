import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Select, TextField } from '../controls/field.tsx'
import { showNotice } from '../controls/notice.tsx'
import { ErrorNote } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'

const types = {
  friend_request: 'Friend request',
  friend_accepted: 'Friend accepted',
}

/** Publishes to any user's inbox, as the studio's social service does with its token. */
export function Publish() {
  const { client, user_id, scopes } = useSession()
  const [recipient, setRecipient] = useState(user_id)
  const [type, setType] = useState<keyof typeof types>('friend_request')
  const [from_display_name, setName] = useState('Grace')
  const publish = useMutation({
    // The social service's numeric id of the sender. The console accepts any.
    mutationFn: () =>
      client.publishNotification({ user_id: recipient, type, data: { from_user_id: 7, from_display_name } }),
    onSuccess: () => showNotice(`Published to ${recipient}.`),
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
      <h3>Publish as the social service</h3>
      <div className="publish-fields">
        <TextField label="To the user" value={recipient} onChange={setRecipient} isRequired />
        <Select label="Type" options={types} value={type} onChange={setType} />
        <TextField label="From, by display name" value={from_display_name} onChange={setName} isRequired />
        <Button type="submit" look="primary" isPending={publish.isPending}>
          Publish
        </Button>
      </div>
      {publish.isError && <ErrorNote error={publish.error} />}
    </Form>
  )
}
