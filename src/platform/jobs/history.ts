/** What waits after a run: nothing, or the reason why work is left (docs/operating.md#what-the-job-did). */
export type JobState = 'done' | 'backlog' | 'failed' | 'moving' | 'off'

/** How much each task processed, by its name. */
export type Counts = Readonly<Record<string, number>>

/** A run of the job, or consecutive runs that belong together. Times are Unix seconds. */
export interface JobRuns {
  runs: number
  started_at: number
  ended_at: number
  state: JobState
  done: Counts
  /** The tasks that failed in the last of the runs. */
  failed: string[]
  queries: number
  calls: number
}

/** What the object that runs the job of a database remembers of it. */
export interface JobHistory {
  /** Since when something waits, in Unix seconds; null: nothing does. */
  waiting_since: number | null
  /** The latest first. */
  runs: JobRuns[]
}

/** How many entries a history keeps. */
const KEPT_ENTRIES = 20

export const noHistory: JobHistory = { waiting_since: null, runs: [] }

/**
 * Adds a run to a history. It joins the entry before it when it works off that entry's backlog, or when neither changed
 * anything, so that the history reaches back further than 20 runs.
 */
export function withRun({ waiting_since, runs }: JobHistory, run: JobRuns): JobHistory {
  const [latest, ...earlier] = runs
  const since = run.state === 'done' ? null : (waiting_since ?? run.started_at)
  const entries = latest && belongs(latest, run) ? [joined(latest, run), ...earlier] : [run, ...runs]
  return { waiting_since: since, runs: entries.slice(0, KEPT_ENTRIES) }
}

/** Whether runs changed nothing: they had nothing to do, or only looked at what there is. */
function isQuiet(counts: Counts): boolean {
  return Object.keys(counts).every((task) => task.endsWith('_checked'))
}

function belongs(latest: JobRuns, run: JobRuns): boolean {
  if (latest.state === 'backlog') return true
  const isSame = latest.state === run.state && String(latest.failed) === String(run.failed)
  return isSame && isQuiet(latest.done) && isQuiet(run.done)
}

function joined(latest: JobRuns, run: JobRuns): JobRuns {
  const done: Record<string, number> = { ...latest.done }
  for (const [task, count] of Object.entries(run.done)) done[task] = (done[task] ?? 0) + count
  return {
    ...run,
    done,
    runs: latest.runs + run.runs,
    started_at: latest.started_at,
    queries: latest.queries + run.queries,
    calls: latest.calls + run.calls,
  }
}
