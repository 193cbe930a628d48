import { useQuery } from '@tanstack/react-query'
import type { Decision } from 'edge-game-storage-client'
import { Link } from 'react-aria-components'
import { formatTime } from '../controls/format.ts'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { SAFETY } from '../reports/keys.ts'
import { Statement } from '../reports/statement.tsx'
import { nouns } from '../reports/words.ts'
import { isRefusal, useSession } from '../session/session.tsx'
import { usePlace, useTitle } from '../shell/place.tsx'
import { AppealOf } from './appeal.tsx'
import { Crumbs } from './crumbs.tsx'
import { Page as ReportWithOutcome } from './report-page.tsx'

/** A decision about a thing of the user's; or, for whoever has reported the thing, the report that it ended. */
export function DecisionPage({ id }: { id: string }) {
  const { client } = useSession()
  const decision = useQuery({
    queryKey: [SAFETY, 'decision', id],
    queryFn: ({ signal }) => client.decisions.get({ id }, { signal }),
  })
  const isOfOthers = isRefusal(decision.error, 'DECISION_NOT_FOUND')
  // The notification of an appeal names the decision only, also to a reporter.
  const report = useQuery({
    queryKey: [SAFETY, 'report of', id],
    queryFn: async ({ signal }) => {
      for await (const one of client.reports.list({ limit: 100 }, { signal }))
        if (one.decision?.id === id) return one
      return null
    },
    enabled: isOfOthers,
  })
  if (decision.data) return <Page decision={decision.data} />
  if (report.data) return <ReportWithOutcome report={report.data} />
  return (
    <div className="stack safety">
      <Crumbs part="decisions" title="…" />
      {decision.isPending || report.isLoading ? (
        <Waiting />
      ) : isOfOthers ? (
        <Empty icon="shield" title="There is no such decision">
          Decisions are deleted some time after they have ended.
        </Empty>
      ) : (
        <ErrorNote error={decision.error} onRetry={() => void decision.refetch()} />
      )}
    </div>
  )
}

function Page({ decision }: { decision: Decision }) {
  const { id, target, name, created_at, appeal, appealable_until, lifted_at } = decision
  const { hrefOf } = usePlace()
  const title = name ?? (target.type === 'user' ? 'Your account' : nouns[target.type])
  useTitle(title)
  return (
    <div className="stack safety">
      <Crumbs part="decisions" title={title} />
      <Statement said={decision} as="h1" isAppealed={appeal !== null} />
      <p className="row safety-facts">
        <span className="quiet small">{formatTime(created_at)}</span>
        {target.type === 'asset' && (
          <Link className="asset-link" href={hrefOf([target.id], {}, 'assets')}>
            Open the asset
          </Link>
        )}
      </p>
      {(appeal || lifted_at === null) && (
        <AppealOf
          decision_id={id}
          appeal={appeal}
          appealable_until={appealable_until}
          hint="Say why the decision is wrong, or what you have changed. Another moderator looks at it, and answers."
        />
      )}
    </div>
  )
}
