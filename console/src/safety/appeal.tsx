import { useMutation } from '@tanstack/react-query'
import type { Appeal } from 'edge-game-storage-client'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { formatTime } from '../controls/format.ts'
import { showNotice } from '../controls/notice.tsx'
import { ErrorNote } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'

interface Props {
  decision_id: string
  /** Null: the user has not appealed. */
  appeal: Appeal | null
  /** Until when the user may, in Unix seconds; undefined: not known. */
  appealable_until: number | undefined
  /** What to say in an appeal. */
  hint: string
}

/** The user's appeal against a decision with its answer, or the form that makes one. */
export function AppealOf({ decision_id, appeal, appealable_until, hint }: Props) {
  const { isOnBehalf } = useSession()
  if (appeal) return <Sent appeal={appeal} />
  if (appealable_until !== undefined && appealable_until * 1_000 < Date.now())
    return <p className="quiet">The time to appeal has ended on {formatTime(appealable_until)}.</p>
  if (isOnBehalf) return <p className="quiet">Only the player can appeal.</p>
  return <NewAppeal decision_id={decision_id} hint={hint} />
}

function NewAppeal({ decision_id, hint }: { decision_id: string; hint: string }) {
  const { client, changed } = useSession()
  const [isWriting, setWriting] = useState(false)
  const [text, setText] = useState('')
  const appeal = useMutation({
    mutationFn: () => client.decisions.appeal({ id: decision_id, text: text.trim() }),
    onSuccess: () => {
      showNotice('Your appeal is sent. Another moderator looks at it.')
      return changed('safety')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') appeal.mutate()
  }
  if (!isWriting)
    return (
      <div>
        <Button look="primary" onPress={() => setWriting(true)}>
          Appeal
        </Button>
      </div>
    )
  return (
    <Form className="part stack" onSubmit={submit} aria-label="Appeal">
      <TextField
        label="Your appeal"
        hint={`${hint} You can appeal once.`}
        value={text}
        onChange={setText}
        maxLength={5_000}
        isLong
        isProse
        isRequired
        autoFocus
      />
      {appeal.isError && <ErrorNote error={appeal.error} />}
      <div className="row">
        <Button type="submit" look="primary" isDisabled={text.trim() === ''} isPending={appeal.isPending}>
          Send the appeal
        </Button>
        <Button onPress={() => setWriting(false)}>Cancel</Button>
      </div>
    </Form>
  )
}

const states = {
  open: 'Your appeal is open',
  upheld: 'Your appeal was turned down',
  reversed: 'Your appeal was right',
} as const

function Sent({ appeal: { text, state, answer, created_at, decided_at } }: { appeal: Appeal }) {
  return (
    <section className="part stack safety-appeal" aria-label="Your appeal">
      <h2 className={state === 'reversed' ? 'good' : undefined}>{states[state]}</h2>
      <p className="quiet small">{formatTime(created_at)}</p>
      <p className="safety-text">
        <bdi>{text}</bdi>
      </p>
      {answer === null ? (
        <p className="quiet">
          {state === 'open'
            ? 'Another moderator than the one who decided answers it. Your inbox will tell you.'
            : 'It was answered by a new decision.'}
        </p>
      ) : (
        <>
          <h3>The answer</h3>
          <blockquote className="statement-text">
            <bdi>{answer}</bdi>
          </blockquote>
          {decided_at !== null && <p className="quiet small">{formatTime(decided_at)}</p>}
        </>
      )}
    </section>
  )
}
