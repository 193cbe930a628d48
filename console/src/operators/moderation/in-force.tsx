import type { ModeratorsDecision, WholeCase } from 'edge-game-storage-client/studio'
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

/** The decision that is in force, with its statement, its appeal, and buttons that lift or replace it. */
export function InForce({ found, decision, isDeciding, onDecide, onNext }: Props) {
  const { studio, changed } = useSession()
  const [isAsked, setAsked] = useState(false)
  const name = titleOf(found)
  const { appeal } = found
  const lift = async () => {
    await studio.decisions.lift({ id: decision.id })
    showNotice(`The decision about ${name} is lifted.`)
    await changed('moderation')
  }
  return (
    <section className="part stack case-in-force" aria-label="In force">
      <div className="case-marks">
        <span className="case-mark of-decided">In force: {done[decision.action]}</span>
        <span className="quiet small">
          by {moderatorOf(decision)}, {formatTime(decision.created_at)}
        </span>
      </div>
      <Statement said={decision} as="h3" isAppealed={appeal !== null} />
      {decision.note !== null && (
        <p className="quiet">
          Note: <bdi>{decision.note}</bdi>
        </p>
      )}
      {appeal && appeal.state !== 'open' && (
        <p>
          {appeal.by === 'owner' ? 'The owner' : 'A reporter'} has appealed, and it was {appeal.state}.
        </p>
      )}
      <div className="row case-links">
        {onNext && !isDeciding && (
          <Button look="primary" onPress={onNext}>
            Next case
          </Button>
        )}
        {!isDeciding && <Button onPress={onDecide}>Decide anew</Button>}
        <Button icon="restore" onPress={() => setAsked(true)}>
          {decision.action === 'none' ? 'Take it back' : 'Lift it'}
        </Button>
      </div>
      {isAsked && (
        <Confirm
          title={`Lift the decision about ${name}?`}
          action="Lift it"
          onConfirm={lift}
          onClose={() => setAsked(false)}
        >
          What it did ends at once. An open appeal against it is answered with that. The owner sees that it is
          lifted.
        </Confirm>
      )}
    </section>
  )
}
