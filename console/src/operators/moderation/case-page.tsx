import { useQuery } from '@tanstack/react-query'
import type { WholeCase } from 'edge-game-storage-client/studio'
import { useEffect, useRef, useState } from 'react'
import { Breadcrumb, Breadcrumbs, Link } from 'react-aria-components'
import { Button } from '../../controls/button.tsx'
import { formatCount } from '../../controls/format.ts'
import { Icon } from '../../controls/icon.tsx'
import { Empty, ErrorNote, Waiting } from '../../controls/status.tsx'
import { isRefusal, useSession } from '../../session/session.tsx'
import { usePane, usePlace, useTitle } from '../../shell/place.tsx'
import { AnswerAppeal } from './answer-appeal.tsx'
import { MODERATION, states, titleOf, waitingSince, waitText } from './cases.ts'
import { Decide } from './decide.tsx'
import type { Drafts } from './draft.ts'
import { Earlier } from './earlier.tsx'
import { LastDecision } from './last-decision.tsx'
import { MODERATION_PART } from './part.ts'
import { Reports } from './reports.tsx'
import { Thing } from './thing.tsx'
import { useCaseKeys } from './use-case-keys.ts'
import type { Steps } from './use-walk.ts'

interface Props {
  id: string
  steps: Steps
  /** Whether the queue has more cases than those that are loaded. */
  hasMore: boolean
  /** Called when the last cases of those that are loaded are near. */
  onNearEnd: () => void
  drafts: Drafts
}

/** One case: the thing, what is said about it, and the form that decides. */
export function CasePage({ id, steps, hasMore, onNearEnd, drafts }: Props) {
  const { studio } = useSession()
  const { query, go, hrefOf } = usePlace()
  const { isFirst } = usePane()
  const page = useRef<HTMLDivElement>(null)
  const found = useQuery({
    queryKey: [MODERATION, 'case', id],
    queryFn: ({ signal }) => studio.cases.get({ id }, { signal }),
  })
  const title = found.data && titleOf(found.data)
  useTitle(title)
  const lead = (to: string | undefined) => () => {
    if (to !== undefined) go([MODERATION_PART, to], query)
  }
  useCaseKeys(page, { isFirst, onNext: lead(steps.next), onPrevious: lead(steps.previous) })
  const isNearEnd = steps.count - steps.number < 3
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each case
  useEffect(() => {
    if (isNearEnd) onNearEnd()
  }, [isNearEnd, id])
  return (
    <div className="stack case" ref={page}>
      <div className="case-bar">
        <Breadcrumbs className="asset-crumbs spread">
          <Breadcrumb>
            <Link className="asset-link" href={hrefOf([MODERATION_PART], query)}>
              Moderation
            </Link>
          </Breadcrumb>
          <Breadcrumb>
            <Link className="asset-link cut" dir="auto">
              {title ?? '…'}
            </Link>
          </Breadcrumb>
        </Breadcrumbs>
        <div className="row case-steps">
          {steps.number > 0 && (
            <span className="quiet small">
              {steps.number} of {steps.count}
              {hasMore && '+'}
            </span>
          )}
          <Button
            aria-label="Previous case"
            aria-keyshortcuts="K"
            isDisabled={steps.previous === undefined}
            onPress={lead(steps.previous)}
          >
            <Icon name="back" />
            <kbd>K</kbd>
          </Button>
          <Button
            aria-label="Next case"
            aria-keyshortcuts="J"
            isDisabled={steps.next === undefined}
            onPress={lead(steps.next)}
          >
            <kbd>J</kbd>
            <Icon name="chevron" />
          </Button>
        </div>
      </div>
      {found.isPending ? (
        <Waiting />
      ) : isRefusal(found.error, 'CASE_NOT_FOUND') ? (
        <Empty icon="shield" title="There is no such case">
          What was decided about is kept for a time, and then deleted.
        </Empty>
      ) : found.data ? (
        <Whole
          found={found.data}
          drafts={drafts}
          onNext={steps.next === undefined ? undefined : lead(steps.next)}
        />
      ) : (
        <ErrorNote error={found.error} onRetry={() => void found.refetch()} />
      )}
    </div>
  )
}

function Whole(props: { found: WholeCase; drafts: Drafts; onNext: (() => void) | undefined }) {
  const { found, drafts, onNext } = props
  const { target, state, report_count, is_illegal, decision, appeal } = found
  const isAppealed = appeal?.state === 'open'
  const [isDecidingAnew, setDecidingAnew] = useState(false)
  const since = waitingSince(found)
  // What is written stays in sight when somebody else has decided meanwhile.
  const isDeciding = isDecidingAnew || drafts.has(found.id) || (state === 'open' && !isAppealed)
  return (
    <>
      <p className="case-state">
        <span className={`case-mark of-${state}`}>{states[state]}</span>
        {is_illegal && <span className="case-mark illegal">Said to be illegal</span>}
        <span className="quiet">
          {report_count > 0 ? `${formatCount(report_count, 'open report')}` : 'No open report'}
          {since !== undefined && ` · waits ${waitText(since)}`}
        </span>
      </p>
      <div className="case-columns">
        <Thing found={found} />
        <div className="stack">
          <Reports reports={found.reports} />
          <Earlier decisions={found.earlier} own={found.decision?.id} isOfPlayer={target.type === 'user'} />
        </div>
      </div>
      {(decision || isAppealed) && (
        <div className={isAppealed ? 'case-columns' : undefined}>
          {decision && (
            <LastDecision
              found={found}
              decision={decision}
              isDeciding={isDeciding}
              onDecide={() => setDecidingAnew(true)}
              onNext={isAppealed ? undefined : onNext}
            />
          )}
          {isAppealed && <AnswerAppeal found={found} appeal={appeal} />}
        </div>
      )}
      {isDeciding && <Decide found={found} drafts={drafts} onDecided={() => setDecidingAnew(false)} />}
    </>
  )
}
