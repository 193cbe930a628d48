import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { TextField } from '../controls/field.tsx'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'

/** Erases a user with all their content. */
export function Erasure() {
  const { client } = useSession()
  const [user_id, setUserId] = useState('')
  const [asked, setAsked] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(user_id.trim())
  }
  const erase = async (erased: string) => {
    await client.eraseUser({ user_id: erased })
    setUserId('')
    showNotice(`${erased} is erased. The job removes what there was.`)
  }
  return (
    <>
      <Form className="line" onSubmit={submit}>
        <TextField label="User id" value={user_id} onChange={setUserId} isRequired />
        <Button type="submit" look="danger">
          Erase …
        </Button>
      </Form>
      {asked !== undefined && (
        <Confirm
          title={`Erase ${asked}`}
          action="Erase"
          typed={asked}
          onConfirm={() => erase(asked)}
          onClose={() => setAsked(undefined)}
        >
          Files, assets, uploads, shares in both directions and notifications of {asked} are gone at once.
          This can’t be undone.
        </Confirm>
      )}
    </>
  )
}
