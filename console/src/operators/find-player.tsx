import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { usePlace } from '../shell/place.tsx'

/** Asks for a player's id, and opens their page. */
export function FindPlayer() {
  const { go } = usePlace()
  const [user_id, setUserId] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    go(['users', user_id.trim()])
  }
  return (
    <>
      <h2>Find a player</h2>
      <p className="quiet">
        The id of a player is the <code>sub</code> of their token. Lists show it beside what a player owns.
        Their page has what they store, their quota and what is blocked; from it you act for them, or erase
        them.
      </p>
      <Form className="line find-player" onSubmit={submit}>
        <TextField label="User id" value={user_id} onChange={setUserId} maxLength={128} isRequired />
        <Button type="submit" look="primary" icon="search" isDisabled={user_id.trim() === ''}>
          Open
        </Button>
      </Form>
    </>
  )
}
