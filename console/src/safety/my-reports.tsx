import type { Report } from 'edge-game-storage-client'
import { GridListItem } from 'react-aria-components'
import { formatDay } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { RowList } from '../controls/row-list.tsx'
import { Empty } from '../controls/status.tsx'
import { SAFETY } from '../reports/keys.ts'
import { categories, outcomes, targetIcons } from '../reports/words.ts'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { useNameOf } from './use-name-of.ts'

/** What the user has reported, and what became of it, newest first. */
export function MyReports() {
  const { client } = useSession()
  const { hrefOf } = usePlace()
  const list = usePages({
    queryKey: [SAFETY, 'reports'],
    read: (cursor, signal) => client.reports.list({ limit: 20, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.reports,
  })
  return (
    <Pages
      list={list}
      empty={
        <Empty icon="flag" title="You have reported nothing">
          Report an asset on its page, a file in Shared with me, or a player beside what they have published.
          What becomes of it is here then.
        </Empty>
      }
    >
      {(reports) => (
        <RowList className="safety-list" aria-label="My reports" items={reports}>
          {(report) => (
            <GridListItem
              id={report.id}
              textValue={`${categories[report.category]}, ${formatDay(report.created_at)}`}
              className="safety-row"
              href={hrefOf(['reports', report.id])}
            >
              <Row report={report} />
            </GridListItem>
          )}
        </RowList>
      )}
    </Pages>
  )
}

function Row({ report }: { report: Report }) {
  const { target, category, is_illegal, created_at, decision } = report
  const name = useNameOf(target)
  return (
    <>
      <span className="safety-icon">
        <Icon name={targetIcons[target.type]} size={20} />
      </span>
      <span className="safety-what">
        <span className="safety-title">
          <bdi>{name}</bdi>
        </span>
        <span className="quiet">
          {decision ? outcomes[decision.action] : 'A moderator has still to look at it.'}
        </span>
        <span className="quiet small">
          {categories[category]}
          {is_illegal && ', said to be illegal'} · {formatDay(created_at)}
        </span>
      </span>
      <span className={decision ? 'safety-state good' : 'safety-state'}>{decision ? 'Decided' : 'Open'}</span>
    </>
  )
}
