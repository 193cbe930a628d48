import { env } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import { wakeJanitors } from '../../src/janitor/janitor.ts'
import { JobOverview } from '../../src/operators/job/schema.ts'
import { inWords } from '../../src/operators/job/words.ts'
import { type JobRuns, noHistory, withRun } from '../../src/platform/jobs/history.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { databaseNames } from '../support/databases.ts'
import { newUserIdIn } from '../support/ids.ts'
import { openAccount } from '../support/seed.ts'
import { operator } from '../support/user.ts'

afterEach(() => vi.restoreAllMocks())

/** A run at a time, in Unix seconds, which took a second. */
function run(started_at: number, other: Partial<JobRuns> = {}): JobRuns {
  const nothing = { state: 'done', done: {}, failed: [] } as const
  return {
    runs: 1,
    started_at,
    ended_at: started_at + 1,
    ...nothing,
    failed: [],
    queries: 9,
    calls: 1,
    ...other,
  }
}

function historyOf(...runs: JobRuns[]) {
  return runs.reduce(withRun, noHistory)
}

async function outdatedKey(): Promise<void> {
  const user_id = newUserIdIn(FIRST)
  await openAccount(user_id)
  await env.DB.prepare(`INSERT INTO idempotency VALUES (?, 'k', 'h', 'm', 1)`).bind(user_id).run()
}

it('tells an operator what each run did, the latest first, and since when something waits', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const olga = await operator('job:read')
  const ask = async () => {
    const { databases } = JobOverview.parse((await olga.get('/job')).body)
    expect(databases.map(({ database }) => database)).toEqual(databaseNames)
    const [first] = databases
    if (!first) throw new Error('There is no database.')
    return first
  }
  await outdatedKey()
  await wakeJanitors(env)
  const { runs, waiting_since } = await ask()
  expect(waiting_since).toBeNull()
  expect(runs[0]).toMatchObject({ runs: 1, state: 'done', done: { keys_deleted: 1 }, failed: [] })
  expect(runs[0]?.queries).toBeGreaterThan(0)
  const object = await env.BUCKET.get('.pairing')
  await env.BUCKET.put('.pairing', 'of another database')
  for (let runs = 0; runs < 2; runs++) await wakeJanitors(env).catch(() => {})
  const failed = await ask()
  expect(failed.runs[0]).toMatchObject({ runs: 2, state: 'failed', failed: ['bucket_paired'] })
  expect(failed.waiting_since).toBe(failed.runs[0]?.started_at)
  await env.BUCKET.put('.pairing', (await object?.text()) ?? '')
  await outdatedKey()
  await wakeJanitors(env)
  const mended = await ask()
  expect(mended.waiting_since).toBeNull()
  expect(mended.runs.map(({ state }) => state).slice(0, 3)).toEqual(['done', 'failed', 'done'])
})

it('keeps runs that work off a backlog together, and those that change nothing', () => {
  const removed = (uploads_expired: number) => ({ uploads_expired })
  const { waiting_since, runs } = historyOf(
    run(1, { done: { objects_checked: 5 } }),
    run(300),
    run(600, { done: removed(9), state: 'backlog' }),
    run(602, { done: removed(8), state: 'backlog' }),
    run(604, { done: removed(1) }),
    run(900, { done: removed(2) }),
    run(1_200, { state: 'moving' }),
    run(1_230, { state: 'moving' }),
  )
  expect(waiting_since).toBe(1_200)
  expect(
    runs.map(({ runs, started_at, ended_at, done, state }) => [runs, started_at, ended_at, done, state]),
  ).toEqual([
    [2, 1_200, 1_231, {}, 'moving'],
    [1, 900, 901, removed(2), 'done'],
    [3, 600, 605, removed(18), 'done'],
    [2, 1, 301, { objects_checked: 5 }, 'done'],
  ])
  expect(runs[2]).toMatchObject({ queries: 27, calls: 3 })
  const many = historyOf(...Array.from({ length: 30 }, (_, index) => run(index, { done: removed(1) })))
  expect(many.runs.map(({ started_at }) => started_at)).toEqual(
    Array.from({ length: 20 }, (_, index) => 29 - index),
  )
})

it('says in words what was changed, also for a task of a later release', () => {
  const words = inWords({
    uploads_expired: 2,
    objects_removed: 1,
    objects_checked: 5,
    favorites_counted: 1_200,
    moons_counted: 3,
  })
  expect(words).toBe(
    '2 expired uploads removed, 1 stored content removed, favorites of 1,200 assets counted, moons counted: 3',
  )
})
