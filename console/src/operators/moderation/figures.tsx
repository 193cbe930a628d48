import { useQuery } from '@tanstack/react-query'
import type { Figures } from 'edge-game-storage-client/studio'
import { Breadcrumb, Breadcrumbs, Link } from 'react-aria-components'
import { Button } from '../../controls/button.tsx'
import { Select } from '../../controls/field.tsx'
import { formatDuration } from '../../controls/format.ts'
import { ErrorNote, Waiting } from '../../controls/status.tsx'
import { numberIn } from '../../json.ts'
import { categories, done, grounds } from '../../reports/words.ts'
import { useSession } from '../../session/session.tsx'
import { usePlace, useTitle } from '../../shell/place.tsx'
import { MODERATION } from './cases.ts'
import { MODERATION_PART } from './part.ts'
import './print.css'

/** How many months can be chosen. */
const MONTHS = 24

const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The last months by their names in addresses, this one first. */
function lastMonths(now: Date): Record<string, string> {
  const months = [...Array(MONTHS).keys()].map((back) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back),
  )
  return Object.fromEntries(
    months.map((time) => [new Date(time).toISOString().slice(0, 7), monthName.format(time)]),
  )
}

/** The first second of a month and of the next one, in Unix seconds. */
function boundsOf(month: string): { from: number; to: number } {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { from: Date.UTC(year, number - 1) / 1_000, to: Date.UTC(year, number) / 1_000 }
}

/** The reports, decisions and appeals of a month, as a page to print. */
export function FiguresPage() {
  const { studio } = useSession()
  const { query, change, hrefOf } = usePlace()
  const months = lastMonths(new Date())
  const month =
    query.month !== undefined && Object.hasOwn(months, query.month) ? query.month : Object.keys(months)[0]
  const chosen = month ?? ''
  useTitle('Figures')
  const figures = useQuery({
    queryKey: [MODERATION, 'figures', chosen],
    queryFn: ({ signal }) => studio.moderation.getFigures(boundsOf(chosen), { signal }),
  })
  return (
    <div className="stack figures-page">
      <Breadcrumbs className="asset-crumbs">
        <Breadcrumb>
          <Link className="asset-link" href={hrefOf([MODERATION_PART])}>
            Moderation
          </Link>
        </Breadcrumb>
        <Breadcrumb>
          <Link className="asset-link">Figures</Link>
        </Breadcrumb>
      </Breadcrumbs>
      <div className="row figures-bar">
        <Select
          label="Month"
          isLabelHidden
          options={months}
          value={chosen}
          onChange={(next) => change({ month: next })}
        />
        <span className="spread" />
        <Button icon="file" onPress={() => print()}>
          Print
        </Button>
      </div>
      <h2>Moderation in {months[chosen]}</h2>
      <p className="quiet small">
        What was reported, decided and appealed from the first to the last day of the month, in UTC.
      </p>
      {figures.isPending ? (
        <Waiting />
      ) : figures.isError ? (
        <ErrorNote error={figures.error} onRetry={() => void figures.refetch()} />
      ) : (
        <Tables figures={figures.data} />
      )}
    </div>
  )
}

function Tables({ figures }: { figures: Figures }) {
  const { median_seconds_to_decision: median } = figures
  const share =
    figures.reversed_count === 0
      ? ''
      : ` (${Math.round((figures.reversed_count / figures.appeal_count) * 100)} %)`
  return (
    <div className="figures-tables">
      <Table
        title="Reports"
        rows={[
          ...counted(categories, figures.reports_by_category),
          ['Of these, said to be illegal', figures.illegal_report_count],
        ]}
        total={['All reports', figures.report_count]}
      />
      <div className="stack">
        <Table
          title="Decisions"
          rows={[
            ...counted(done, figures.decisions_by_action),
            ['Of these, by a machine', figures.automated_count],
          ]}
          total={['All decisions', figures.decision_count]}
        />
        <Table title="Because of" rows={counted(grounds, figures.decisions_by_ground)} />
      </div>
      <Table
        title="Time and appeals"
        rows={[
          ['Half of the reports were decided within', median === null ? 'none was' : formatDuration(median)],
          ['Appeals', figures.appeal_count],
          [
            'Of these, decided for whoever appealed',
            `${figures.reversed_count.toLocaleString('en')}${share}`,
          ],
        ]}
      />
    </div>
  )
}

type Row = readonly [name: string, figure: number | string]

/** A row for each name, also where nothing was counted. */
function counted(names: Readonly<Record<string, string>>, counts: Record<string, unknown>): Row[] {
  return Object.entries(names).map(([key, name]) => [name, numberIn(counts, key)])
}

function Table({ title, rows, total }: { title: string; rows: readonly Row[]; total?: Row }) {
  return (
    <table className="figures-table">
      <caption>{title}</caption>
      <tbody>
        {rows.map((row) => (
          <TableRow key={row[0]} row={row} />
        ))}
      </tbody>
      {total && (
        <tfoot>
          <TableRow row={total} />
        </tfoot>
      )}
    </table>
  )
}

function TableRow({ row: [name, figure] }: { row: Row }) {
  return (
    <tr className={figure === 0 ? 'none' : undefined}>
      <th scope="row">{name}</th>
      <td>{typeof figure === 'number' ? figure.toLocaleString('en') : figure}</td>
    </tr>
  )
}
