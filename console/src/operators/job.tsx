import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '../controls/button.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { isDevelopment, runJob } from '../session/development.ts'

/** Runs the job now, and shows what it did. In production the schedule runs it. */
export function Job() {
  const development = useQuery({ queryKey: ['is development'], queryFn: isDevelopment })
  const run = useMutation({ mutationFn: runJob })
  if (development.isPending) return <Waiting rows={1} />
  return (
    <>
      <p className="quiet">
        The job expires, purges, and removes content that no row refers to.{' '}
        {development.data
          ? 'A development server runs it only on request.'
          : 'The schedule runs it every five minutes. What each run did is in the log, and failed tasks are named there: they are tried again by themselves.'}{' '}
        <a href="/guides/operating">What its counts mean</a>
      </p>
      {development.data && (
        <div>
          <Button onPress={() => run.mutate()} isPending={run.isPending}>
            {run.isPending ? 'The job runs …' : 'Run the job'}
          </Button>
        </div>
      )}
      {run.isError && <ErrorNote error={run.error} />}
      {run.isSuccess && <Report report={run.data} />}
    </>
  )
}

function Report({ report }: { report: ReadonlyMap<string, string> }) {
  return (
    <>
      {report.get('failed') !== undefined && (
        <p className="hint">
          Tasks have failed: {report.get('failed')}. The log has the reason, and the next run tries them
          again.
        </p>
      )}
      {report.get('has_backlog') === 'true' && <p className="hint">There is more to do: run it again.</p>}
      <table className="report" aria-label="What the job did">
        <tbody>
          {[...report].map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name.replaceAll('_', ' ')}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
