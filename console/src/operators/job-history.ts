import type { JobState } from '../../../src/platform/jobs/history.ts'
import { itemsIn, member, numberIn, record, textIn, texts } from '../json.ts'

/** Runs of the job that belong together. Times are Unix seconds. */
export interface JobRuns {
  runs: number
  started_at: number
  ended_at: number
  state: JobState
  done: Record<string, number>
  failed: readonly string[]
  queries: number
  calls: number
}

/** What the job of a database did, and since when something waits. */
export interface JobOfDatabase {
  database: string
  waiting_since: number | undefined
  runs: readonly JobRuns[]
}

const states: readonly string[] = ['done', 'backlog', 'failed', 'moving', 'off'] satisfies JobState[]

/** Reads the answer of `GET /v1/job` (docs/openapi.operators.json). */
export function jobsIn(answer: unknown): readonly JobOfDatabase[] {
  return itemsIn(answer, 'databases').map((one) => {
    const since = member(one, 'waiting_since')
    return {
      database: textIn(one, 'database'),
      waiting_since: typeof since === 'number' ? since : undefined,
      runs: itemsIn(one, 'runs').map(runsIn),
    }
  })
}

function runsIn(value: unknown): JobRuns {
  const state = textIn(value, 'state')
  const done = member(value, 'done')
  return {
    runs: numberIn(value, 'runs'),
    started_at: numberIn(value, 'started_at'),
    ended_at: numberIn(value, 'ended_at'),
    state: isState(state) ? state : 'failed',
    done: Object.fromEntries(Object.keys(record(done)).map((name) => [name, numberIn(done, name)])),
    failed: texts(member(value, 'failed')),
    queries: numberIn(value, 'queries'),
    calls: numberIn(value, 'calls'),
  }
}

function isState(text: string): text is JobState {
  return states.includes(text)
}
