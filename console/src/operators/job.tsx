import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { inWords, stateWords } from '../../../src/operators/job/words.ts'
import type { JobState } from '../../../src/platform/jobs/history.ts'
import { Button } from '../controls/button.tsx'
import { formatCount, formatDuration, formatTime, sentence } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { isDevelopment, runJob } from '../session/development.ts'
import { useSession } from '../session/session.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'
import { type JobOfDatabase, type JobRuns, jobsIn } from './job-history.ts'
import { When } from './when.tsx'

const HISTORY = ['job']

/** What the job did, and what waits. On a development server it is also run here; in production the schedule runs it. */
export function Job() {
  const { operate } = useSession()
  const cache = useQueryClient()
  const development = useQuery({ queryKey: ['is development'], queryFn: isDevelopment })
  const jobs = useQuery({
    queryKey: HISTORY,
    queryFn: async ({ signal }) => jobsIn(await operate({ method: 'GET', path: '/v1/job', signal })),
    refetchInterval: 60_000,
    refetchOnWindowFocus: true,
  })
  const run = useMutation({
    mutationFn: runJob,
    onSettled: () => cache.invalidateQueries({ queryKey: HISTORY }),
  })
  if (development.isPending || jobs.isPending) return <Waiting rows={3} />
  if (jobs.error) return <ErrorNote error={jobs.error} onRetry={() => void jobs.refetch()} />
  return (
    <>
      <div className="line job-about">
        <p className="quiet spread">
          The job empties old trash, ends what has expired, and removes content that nothing needs any more.{' '}
          {development.data
            ? 'Here it runs when you press the button, and by itself when something is due.'
            : 'It runs every five minutes, by itself.'}{' '}
          <a href="/guides/operating">How the job works</a>
        </p>
        {development.data && (
          <Button icon="play" onPress={() => run.mutate()} isPending={run.isPending}>
            {run.isPending ? 'The job runs …' : 'Run the job'}
          </Button>
        )}
      </div>
      {run.isError && <ErrorNote error={run.error} />}
      {jobs.data.map((job) => (
        <History key={job.database} job={job} isOnly={jobs.data.length === 1} />
      ))}
    </>
  )
}

function History({
  job: { database, waiting_since, runs },
  isOnly,
}: {
  job: JobOfDatabase
  isOnly: boolean
}) {
  const [latest] = runs
  const isDeveloper = useDeveloperView()
  const title = isOnly ? 'History' : `History of ${database}`
  return (
    <section className="stack" aria-label={title}>
      {!isOnly && <h3>{database}</h3>}
      {latest ? (
        <>
          <div className="job-state" role="status">
            <span className={latest.state === 'done' ? 'job-mark good' : 'job-mark warn'}>
              <Icon name={latest.state === 'done' ? 'check' : 'info'} />
            </span>
            <div className="spread">
              <h3>{stateWords[latest.state]}</h3>
              {waiting_since !== undefined && (
                <p className="quiet">
                  Since {formatTime(waiting_since)}.{adviceFor[latest.state]}
                </p>
              )}
            </div>
            <p className="quiet">
              Last run <When at={latest.ended_at} />
            </p>
          </div>
          <ol className="plain-list boxed" aria-label="What the job did">
            {runs.map((entry) => (
              <Entry key={entry.started_at} entry={entry} />
            ))}
          </ol>
          {isDeveloper && <Figures runs={runs} />}
        </>
      ) : (
        <Empty icon="restore" title="The job has not run yet">
          What it does is listed here, the latest first.
        </Empty>
      )}
    </section>
  )
}

/** What to do about what waits. */
const adviceFor: Partial<Record<JobState, string>> = {
  failed: ' It is tried again by itself. When that does not help, tell whoever runs the service.',
  off: ' Whoever runs the service has switched it off.',
}

/** What an entry of the history says of what was left. */
const notesOf: Partial<Record<JobState, string>> = {
  backlog: 'more was left',
  failed: 'a part failed',
  moving: 'waited while players were moved',
  off: 'switched off',
}

function Entry({ entry }: { entry: JobRuns }) {
  const { runs, started_at, ended_at, state, done } = entry
  const text = inWords(done)
  const nothing = state === 'done' ? 'Nothing to do' : 'Nothing done'
  const notes = [
    runs > 1 && `${formatCount(runs, 'run')} in ${formatDuration(Math.max(1, ended_at - started_at))}`,
    notesOf[state],
  ].filter((note) => typeof note === 'string')
  return (
    <li className="history-entry">
      <span className="quiet">
        <When at={ended_at} />
      </span>
      <div className="spread">
        <div className={text === '' ? 'quiet' : undefined}>{text === '' ? nothing : sentence(text)}</div>
        {notes.length > 0 && <div className="quiet small">{notes.join(' · ')}</div>}
      </div>
    </li>
  )
}

/** What the service reports of each entry, by the names of its API. */
function Figures({ runs }: { runs: readonly JobRuns[] }) {
  return (
    <ul className="job-figures" aria-label="Figures of the job">
      {runs.map(({ runs, started_at, done, failed, queries, calls }) => (
        <li key={started_at}>
          {formatTime(started_at)} · runs {runs} · queries {queries.toLocaleString('en')} · calls{' '}
          {calls.toLocaleString('en')}
          <code>
            {[
              ...Object.entries(done).map(([task, count]) => `${task} ${count.toLocaleString('en')}`),
              ...failed.map((task) => `failed: ${task}`),
            ].join(', ')}
          </code>
        </li>
      ))}
    </ul>
  )
}
