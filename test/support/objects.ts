import { env } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { v7 } from 'uuid'
import { expect } from 'vitest'
import { dueOrNot, type Report, runJob, taskNames } from '../../src/janitor/run.ts'
import type { Config } from '../../src/platform/config/variables.ts'
import type { JobContext } from '../../src/platform/context.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { contentsOfAssets } from '../proofs/model/recount.ts'
import { contextOf } from './context.ts'
import { databaseNames, everyDatabase, everywhere } from './databases.ts'
import { keysInBucket, markers } from './invariants.ts'

/** The key of an upload at this time, without a row. */
export function orphanKey(days_ago: number): string {
  const key = v7({ msecs: Date.now() - days_ago * DAY_MS })
  return `${key.slice(0, 19)}9${key.slice(20)}`
}

/**
 * Puts an object without a row where the walk through the bucket meets it, in a run two days from now. The returned function
 * resets the position of the walk, which otherwise only moves forward.
 */
export async function plantOrphan(): Promise<() => Promise<void>> {
  const position = `SELECT position FROM progress WHERE task = 'bucket_walk'`
  const move = `UPDATE progress SET position = ? WHERE task = 'bucket_walk'`
  const before = await Promise.all(
    everyDatabase.map(async (database) => ({
      database,
      position: await database.prepare(position).first('position'),
    })),
  )
  await everywhere(move, orphanKey(2.1))
  await env.BUCKET.put(orphanKey(2), 'x')
  return async () => {
    for (const { database, position } of before) await database.prepare(move).bind(position).run()
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** The context of a run of a database's job, `days` days from now. `limits` replaces variables. */
export function jobIn(days: number, database: string = FIRST, limits: Partial<Config> = {}): JobContext {
  const { config, databases } = contextOf('nobody', {}, limits)
  return {
    db: databases.whole(database),
    databases,
    bucket: env.BUCKET,
    inboxes: env.INBOX,
    saves: env.SAVES,
    config,
    now_ms: Date.now() + days * DAY_MS,
    pause: async () => {},
  }
}

/**
 * Runs the job of every database, `days` days from now, until no run has anything left to do. Fails when a task fails.
 * Returns the sum of the reports.
 */
export async function runJobIn(days: number, limits: Partial<Config> = {}): Promise<Report> {
  const sum: Report = { queries: 0, calls: 0 }
  const jobs = databaseNames.map((name) => jobIn(days, name, limits))
  for (let rounds = 0; rounds < 200; rounds++) {
    const idle = await Promise.all(jobs.map((job) => hasNothingToDo(job, sum)))
    if (idle.every(Boolean)) return sum
  }
  throw new Error('the job never comes to an end')
}

/** Runs the job of every database once, `days` days from now. Returns the reports. */
export function runEach(days: number, different: Partial<JobContext> = {}): Promise<Report[]> {
  return Promise.all(databaseNames.map((name) => runJob({ ...jobIn(days, name), ...different })))
}

/** Runs the job of every database once, `days` days from now. Fails when a task fails, but not when something is left that is due. */
export async function runOnce(days: number): Promise<void> {
  for (const { failed, waits_for_move } of await runEach(days)) expect({ failed, waits_for_move }).toEqual({})
}

/** Runs every job as often as it takes to remove what erased users had. */
export async function removed(): Promise<void> {
  for (const days of [0, 0.01, 0.01, 0.02]) await runEach(days)
}

/** The position of a job whose next run begins with what most other tasks feed, so that none of it is done only because its turn comes later. */
const FED_FIRST = String(taskNames.length + taskNames.indexOf('objects_removed') - 1)

/**
 * Runs a job once and adds its report to `sum`. Returns whether the job has nothing left to do: one run does all of it unless its
 * budget ends, or another database's run gives it more.
 */
async function hasNothingToDo(job: JobContext, sum: Report): Promise<boolean> {
  const isAlone = databaseNames.length === 1
  if (isAlone)
    await job.db.write(
      sql`INSERT INTO progress (task, position) VALUES ('runs', ${FED_FIRST}) ON CONFLICT (task) DO UPDATE SET position = excluded.position`,
    )
  const { failed, has_backlog, next_at, waits_for_move, ...counts } = await runJob(job)
  expect({ failed, waits_for_move }).toEqual({})
  for (const [name, count] of Object.entries(counts))
    Object.assign(sum, { [name]: count + (Object.entries(sum).find(([known]) => known === name)?.[1] ?? 0) })
  const { queries, calls, ...done } = counts
  if (has_backlog) return false
  if (!isAlone) return Object.keys(done).length === 0
  expect((await dueOrNot(job)).filter(([, isDue]) => isDue)).toEqual([])
  return true
}

/** Runs the job until it has nothing left to do, `days` days from now; then records and objects agree. */
export async function expectAgreedIn(days: number): Promise<void> {
  await runJobIn(days)
  await expectRecordsAndObjectsAgree()
}

/**
 * Fails unless rows and objects agree: every ready file and every version has its content, every preview and every required marker exists, and every object has
 * a row. To be called after signed URLs have expired and the job has run. `left`: keys of objects that may be there without a
 * row.
 */
export async function expectRecordsAndObjectsAgree(left: Iterable<string> = []): Promise<void> {
  const files = await everywhere<{ key: string }>(
    `SELECT object_key AS key FROM files WHERE object_key IS NOT NULL UNION SELECT object_key FROM ${contentsOfAssets}
      UNION SELECT preview_key FROM game_assets WHERE preview_key IS NOT NULL`,
  )
  const uploads = await everywhere<{ key: string }>(
    `SELECT id AS key FROM uploads WHERE state IN ('open', 'completing')`,
  )
  const { needed } = await markers()
  const known = new Set([...files.map(({ key }) => key), ...needed])
  const coming = new Set([...uploads.map(({ key }) => key), ...left])
  const there = new Set((await keysInBucket()).filter((key) => !/^(\.pairing|erased\/)/.test(key)))
  expect(
    [...known].filter((key) => !there.has(key)),
    'records without content',
  ).toEqual([])
  const unknown = [...there].filter((key) => !known.has(key) && !coming.has(key))
  expect(unknown, 'content without a record').toEqual([])
}
