import { useQuery } from '@tanstack/react-query'
import { formatBytes, formatCount } from '../controls/format.ts'
import { ErrorNote, Progress, Waiting } from '../controls/status.tsx'
import { itemsIn, member, numberIn, textIn } from '../json.ts'
import { useSession } from '../session/session.tsx'

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
          There is nothing to do. A database holds 10 GB; above 6 GB, add another and move players to it.{' '}
          <a href="/guides/scaling">How to scale</a>
        </p>
      ) : (
        <p className="hint">
          {large.map((one) => textIn(one, 'database')).join(', ')}: above 6 GB, of 10 GB at most. Bind another
          database, and move players to it with <code>npm run shards</code>.{' '}
          <a href="/guides/scaling">How to scale</a>
        </p>
      )}
      <Move move={member(data, 'move')} />
      <div className="wide-table">
        <table className="report" aria-label="Databases">
          <thead>
            <tr>
              <th scope="col">Database</th>
              <th scope="col">Size</th>
              <th scope="col">Players</th>
              <th scope="col">Rows</th>
              <th scope="col">Partitions</th>
            </tr>
          </thead>
          <tbody>
            {databases.map((one) => (
              <DatabaseRow key={textIn(one, 'database')} database={one} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function DatabaseRow({ database }: { database: unknown }) {
  const name = textIn(database, 'database')
  const bytes = member(database, 'bytes')
  const ranges = itemsIn(database, 'blocks').map((one) => `${textIn(one, 'first')}–${textIn(one, 'last')}`)
  const isAll = ranges.length === 16 && ranges[0]?.startsWith('000') && ranges[15]?.endsWith('fff')
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td className="database-size">
        {typeof bytes === 'number' ? formatBytes(bytes) : 'not reported'}
        {typeof bytes === 'number' && (
          <Progress label={`Size of ${name}, of 10 GB`} value={bytes / LARGEST} />
        )}
      </td>
      <td>{numberIn(database, 'users').toLocaleString('en')}</td>
      <td>{numberIn(database, 'rows').toLocaleString('en')}</td>
      <td>{isAll ? 'all' : ranges.join(', ') || 'none'}</td>
    </tr>
  )
}

function Move({ move }: { move: unknown }) {
  if (typeof move !== 'object' || move === null) return null
  return (
    <p className="hint">
      {formatCount(numberIn(move, 'partitions'), 'partition moves', 'partitions move')} from{' '}
      <code>{textIn(move, 'source')}</code> to <code>{textIn(move, 'target')}</code>:{' '}
      {numberIn(move, 'rows_copied').toLocaleString('en')} rows are copied. The job of both waits. To go on,
      repeat <code>npm run shards</code>.
    </p>
  )
}
