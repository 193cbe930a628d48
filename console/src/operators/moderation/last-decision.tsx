import type { Appeal, ModeratorsDecision, WholeCase } from 'edge-game-storage-client/studio'
import { useState } from 'react'
import { Button } from '../../controls/button.tsx'
import { Confirm } from '../../controls/confirm.tsx'
import { formatTime } from '../../controls/format.ts'
import { showNotice } from '../../controls/notice.tsx'
import { Statement } from '../../reports/statement.tsx'
import { done } from '../../reports/words.ts'
import { useSession } from '../../session/session.tsx'
import { titleOf } from './cases.ts'
import { moderatorOf } from './earlier.tsx'

interface Props {
  found: WholeCase
  decision: ModeratorsDecision
  /** Whether the form for another decision is shown. */
  isDeciding: boolean
  onDecide: () => void
  /** Leads to the next case; undefined without one. */
  onNext: (() => void) | undefined
}

/** The last decision of a case, with its statement and its answered appeal, and buttons that lift or replace it. */
export function LastDecision({ found, decision, isDeciding, onDecide, onNext }: Props) {
  const [isAsked, setAsked] = useState(false)
  const { appeal } = found
  const { action, lifted_at, created_at, note } = decision
  const isInForce = lifted_at === null
  return (
    <section className="part stack case-decision" aria-label="The last decision">
      <div className="case-marks">
        <span className={isInForce ? 'case-mark of-decided' : 'case-mark'}>
          {isInForce ? 'In force' : 'Lifted'}: {done[action]}
        </span>
        <span className="quiet small">
          by {moderatorOf(decision)}, {formatTime(created_at)}
        </span>
      </div>
      <Statement said={decision} as="h3" isAppealed={appeal !== null} />
      {note !== null && (
        <p className="quiet">
          Note: <bdi>{note}</bdi>
        </p>
      )}
      {appeal && appeal.state !== 'open' && <Answered appeal={appeal} />}
      <div className="row case-links">
        {onNext && !isDeciding && (
          <Button look="primary" onPress={onNext}>
            Next case
          </Button>
        )}
        {!isDeciding && <Button onPress={onDecide}>Decide anew</Button>}
        {isInForce && (
          <Button icon="restore" onPress={() => setAsked(true)}>
            {action === 'none' ? 'Take it back' : 'Lift it'}
          </Button>
        )}
      </div>
      {isAsked && <Lift decision={decision} name={titleOf(found)} onClose={() => setAsked(false)} />}
    </section>
  )
}

function Answered({ appeal: { by, state, text, answer } }: { appeal: Appeal }) {
  return (
    <div className="stack">
      <p>
        <b>
          {by === 'owner' ? 'The owner' : 'A reporter'} has appealed, and it was {state}
        </b>
      </p>
      <p className="case-text">
        <bdi>{text}</bdi>
      </p>
      {answer !== null && (
        <p className="case-text">
          <b>Answer:</b> <bdi>{answer}</bdi>
        </p>
      )}
    </div>
  )
}

function Lift(props: { decision: ModeratorsDecision; name: string; onClose: () => void }) {
  const { studio, changed } = useSession()
  const { decision, name, onClose } = props
  const lift = async () => {
    await studio.decisions.lift({ id: decision.id })
    showNotice(`The decision about ${name} is lifted.`)
    await changed('moderation')
  }
  return (
    <Confirm title={`Lift the decision about ${name}?`} action="Lift it" onConfirm={lift} onClose={onClose}>
      What it did ends at once. An open appeal against it is answered with that. The owner sees that it is
      lifted.
    </Confirm>
  )
}
