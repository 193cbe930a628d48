import type { ReportOfCase } from 'edge-game-storage-client/studio'
import { Link } from 'react-aria-components'
import { categories } from '../../reports/words.ts'
import { usePlace } from '../../shell/place.tsx'
import { When } from '../when.tsx'

/** How many reports a case shows at most (docs/openapi.operators.json). */
const SHOWN = 100

/** What players have reported about a thing: the open reports, and below them those that are decided. */
export function Reports({ reports }: { reports: readonly ReportOfCase[] }) {
  const open = reports.filter(({ state }) => state === 'open')
  const decided = reports.filter(({ state }) => state === 'decided')
  return (
    <section className="part stack" aria-label="Reports">
      <h3>Reports</h3>
      {open.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <section className="case-scroll" tabIndex={0} aria-label="Open reports">
          <List reports={open} />
        </section>
      ) : (
        <p className="quiet">None is open.</p>
      )}
      {decided.length > 0 && (
        <details className="case-more">
          <summary>Decided before: {decided.length}</summary>
          <List reports={decided} />
        </details>
      )}
      {reports.length >= SHOWN && <p className="quiet small">The newest {SHOWN} are shown.</p>}
    </section>
  )
}

function List({ reports }: { reports: readonly ReportOfCase[] }) {
  const { hrefOf } = usePlace()
  return (
    <ul className="case-list">
      {reports.map(({ id, category, is_illegal, text, reporter_id, created_at }) => (
        <li key={id}>
          <div className="case-marks">
            <span className="case-mark">{categories[category]}</span>
            {is_illegal && <span className="case-mark illegal">Said to be illegal</span>}
            <span className="quiet small">
              {reporter_id === null ? (
                'somebody who has been erased'
              ) : (
                <Link className="asset-link" href={hrefOf(['users', reporter_id])}>
                  <bdi>{reporter_id}</bdi>
                </Link>
              )}{' '}
              · <When at={created_at} />
            </span>
          </div>
          {text !== null && (
            <p className="case-text">
              <bdi>{text}</bdi>
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
