import { useQuery } from '@tanstack/react-query'
import type { Report } from 'edge-game-storage-client'
import { Link } from 'react-aria-components'
import { formatTime } from '../controls/format.ts'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { SAFETY } from '../reports/keys.ts'
import { categories, outcomes } from '../reports/words.ts'
import { isRefusal, useSession } from '../session/session.tsx'
import { usePlace, useTitle } from '../shell/place.tsx'
import { AppealOf } from './appeal.tsx'
import { Crumbs } from './crumbs.tsx'
import { useNameOf } from './use-name-of.ts'

/** One report of the user's, and what became of it. */
export function ReportPage({ id }: { id: string }) {
  const { client } = useSession()
  const report = useQuery({
    queryKey: [SAFETY, 'report', id],
    queryFn: ({ signal }) => client.reports.get({ id }, { signal }),
  })
  if (report.data) return <Page report={report.data} />
  return (
    <div className="stack safety">
      <Crumbs part="reports" title="…" />
      {report.isPending ? (
        <Waiting />
      ) : isRefusal(report.error, 'REPORT_NOT_FOUND') ? (
        <Empty icon="flag" title="There is no such report">
          Reports are deleted some time after they are decided.
        </Empty>
      ) : (
        <ErrorNote error={report.error} onRetry={() => void report.refetch()} />
      )}
    </div>
  )
}

/** A report with its outcome. Where nothing was done, the user may appeal. */
export function Page({ report }: { report: Report }) {
  const { target, category, text, is_illegal, created_at, decision } = report
  const name = useNameOf(target)
  useTitle(`Report: ${name}`)
  return (
    <div className="stack safety">
      <Crumbs part="reports" title={name} />
      <article className="stack">
        <h1 className="safety-title">
          Your report about <Thing report={report} name={name} />
        </h1>
        <p className="quiet">
          {categories[category]}
          {is_illegal && ' · said to be illegal'} · {formatTime(created_at)}
        </p>
        {text !== null && (
          <blockquote className="statement-text">
            <bdi>{text}</bdi>
          </blockquote>
        )}
      </article>
      <section className="part stack" aria-label="What became of it">
        <h2>What became of it</h2>
        {decision ? (
          <>
            <p>{outcomes[decision.action]}</p>
            <p className="quiet small">{formatTime(decision.created_at)}</p>
          </>
        ) : (
          <p>
            A moderator has still to look at it. Your inbox will tell you what became of it. Its owner is not
            told who has reported it.
          </p>
        )}
      </section>
      {decision && (decision.action === 'none' || decision.appeal) && (
        <AppealOf
          decision_id={decision.id}
          appeal={decision.appeal}
          appealable_until={undefined}
          hint="If you think that this is wrong, say why. Another moderator then looks at it."
        />
      )}
    </div>
  )
}

function Thing({ report: { target }, name }: { report: Report; name: string }) {
  const { hrefOf } = usePlace()
  const shown = <bdi>{name}</bdi>
  if (target.type === 'file') return shown
  const href =
    target.type === 'asset'
      ? hrefOf([target.id], {}, 'discover')
      : hrefOf([], { owner: target.id }, 'discover')
  return (
    <Link className="asset-link" href={href}>
      {shown}
    </Link>
  )
}
