import { useMutation } from '@tanstack/react-query'
import type { Appeal, AppealOutcome, WholeCase } from 'edge-game-storage-client/studio'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../../controls/button.tsx'
import { Choice } from '../../controls/choice.tsx'
import { TextField } from '../../controls/field.tsx'
import { showNotice } from '../../controls/notice.tsx'
import { ErrorNote } from '../../controls/status.tsx'
import { useSession } from '../../session/session.tsx'
import { When } from '../when.tsx'

interface Props {
  found: WholeCase
  appeal: Appeal
}

/** An open appeal with its text, and the form that answers it: for another moderator than the one who decided. */
export function AnswerAppeal({ found, appeal }: Props) {
  const { studio, user_id, changed } = useSession()
  const isOwnDecision = found.decision?.moderator_id === user_id
  const [isForced, setForced] = useState(false)
  const [outcome, setOutcome] = useState<AppealOutcome>()
  const [text, setText] = useState('')
  const answer = useMutation({
    mutationFn: async () => {
      if (outcome) await studio.cases.answerAppeal({ id: found.id, outcome, answer: text.trim() })
    },
    onSuccess: () => {
      showNotice('The appeal is answered.')
      return changed('moderation')
    },
  })
  const canAnswer = outcome !== undefined && text.trim() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canAnswer) answer.mutate()
  }
  const isOfOwner = appeal.by === 'owner'
  const who = isOfOwner ? (found.owner_id ?? 'The owner') : 'A reporter'
  const isNone = found.decision?.action === 'none'
  return (
    <section className="part stack case-appeal" aria-label="Appeal">
      <h3>
        <bdi>{who}</bdi> appeals
      </h3>
      <p className="case-text">
        <bdi>{appeal.text}</bdi>
      </p>
      <p className="quiet small">
        <When at={appeal.created_at} />
        {isOfOwner ? '' : ' · against leaving it as it is'}
      </p>
      {isOwnDecision && !isForced ? (
        <div className="hint stack">
          <p>You have made this decision, so another moderator has to answer the appeal.</p>
          <p className="row case-links">
            <span className="quiet small">
              Where the service has <code>MODERATORS=single</code>, you may.
            </span>
            <Button onPress={() => setForced(true)}>Answer it yourself</Button>
          </p>
        </div>
      ) : (
        <Form className="stack" onSubmit={submit}>
          <Choice
            label="The answer"
            options={{
              upheld: {
                text: 'The decision stays.',
                hint: isNone ? 'It is left as it is.' : 'What it did goes on.',
              },
              reversed: {
                text: 'The appeal is right.',
                hint: isNone ? 'The case is open again.' : 'What the decision did ends at once.',
              },
            }}
            value={outcome}
            onChange={setOutcome}
          />
          <TextField
            label={isOfOwner ? 'What the owner will read' : 'What the reporter will read'}
            value={text}
            onChange={setText}
            maxLength={5_000}
            isLong
            isProse
            isRequired
          />
          {answer.isError && <ErrorNote error={answer.error} />}
          <div>
            <Button type="submit" look="primary" isDisabled={!canAnswer} isPending={answer.isPending}>
              Answer the appeal
            </Button>
          </div>
        </Form>
      )}
    </section>
  )
}
