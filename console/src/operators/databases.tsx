import { useQuery } from '@tanstack/react-query'
import { Meter } from 'react-aria-components'
import { formatCount } from '../controls/format.ts'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { itemsIn, member, numberIn, textIn } from '../json.ts'
import { useSession } from '../session/session.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'

/** What a database holds at most, and from when on the job's log says that it fills up, in bytes (docs/scaling.md). */
const [LARGEST, LARGE] = [10e9, 6e9]

/** The databases with their sizes, and the move that is under way, with what to do when one fills up. */
export function DatabasesPart() {
  const { operate } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['databases'],
    queryFn: ({ signal }) => operate({ method: 'GET', path: '/v1/shards', signal }),
  })
  if (isPending) return <Waiting rows={2} />
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  const databases = itemsIn(data, 'databases')
  const large = databases.filter((one) => numberIn(one, 'bytes') > LARGE)
  return (
    <>
      {large.length === 0 ? (
        <p className="quiet">
          There is room, and nothing to do. From 6 GB on, the mark in the bar, add another database and move
          players to it. <a href="/guides/scaling">How to scale</a>
        </p>
      ) : (
        <p className="hint">
          {large.map((one) => textIn(one, 'database')).join(', ')}: more than 6 GB of 10 GB. It is time to add
          another database and to move players to it. <a href="/guides/scaling">How to scale</a>
        </p>
      )}
      <Move move={member(data, 'move')} />
      <ul className="databases" aria-label="Databases">
        {databases.map((one) => (
          <DatabaseCard key={textIn(one, 'database')} database={one} />
        ))}
      </ul>
    </>
  )
}

function DatabaseCard({ database }: { database: unknown }) {
  const name = textIn(database, 'database')
  const bytes = member(database, 'bytes')
  const isDeveloper = useDeveloperView()
  return (
    <li className="part stack">
      {typeof bytes === 'number' ? <SizeBar name={name} bytes={bytes} /> : <h3>{name}</h3>}
      <p className="quiet">
        {formatCount(numberIn(database, 'users'), 'player')}
        {typeof bytes !== 'number' && ' · its size is not reported yet'}
      </p>
      {isDeveloper && (
        <p className="small">
          {formatCount(numberIn(database, 'rows'), 'row')} · partitions: {partitionsOf(database)}
        </p>
      )}
    </li>
  )
}

function SizeBar({ name, bytes }: { name: string; bytes: number }) {
  const percent = Math.min(100, (bytes / LARGEST) * 100)
  return (
    <Meter className="size-bar" aria-label={`Size of ${name}`} value={percent} valueLabel={sizeText(bytes)}>
      <div className="row">
        <h3 className="spread cut">{name}</h3>
        <span>{sizeText(bytes)}</span>
      </div>
      <div className="size-track">
        <div className={bytes > LARGE ? 'size-fill large' : 'size-fill'} style={{ width: `${percent}%` }} />
        <div className="size-mark" style={{ insetInlineStart: `${(LARGE / LARGEST) * 100}%` }} />
      </div>
    </Meter>
  )
}

/** A size beside its limit, in the units of the platform, which are powers of 1,000. */
function sizeText(bytes: number): string {
  const [amount, unit] = bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB']
  return `${amount.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit} of 10 GB`
}

function partitionsOf(database: unknown): string {
  const ranges = itemsIn(database, 'blocks').map((one) => `${textIn(one, 'first')}–${textIn(one, 'last')}`)
  const isAll = ranges.length === 16 && ranges[0]?.startsWith('000') && ranges[15]?.endsWith('fff')
  return isAll ? 'all' : ranges.join(', ') || 'none'
}

function Move({ move }: { move: unknown }) {
  if (typeof move !== 'object' || move === null) return null
  return (
    <p className="hint">
      Players are being moved from {textIn(move, 'source')} to {textIn(move, 'target')}: so far{' '}
      {formatCount(numberIn(move, 'rows_copied'), 'row is', 'rows are')} copied. The job of both waits. To go
      on, whoever moves them repeats <code>npm run shards</code>.
    </p>
  )
}
