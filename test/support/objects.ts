import { env } from 'cloudflare:test'
import { v7 } from 'uuid'
import { expect } from 'vitest'
import type { JobContext } from '../../src/context.ts'
import { type Report, runJob } from '../../src/jobs/run.ts'
import { workOf } from './world.ts'

/** A key of that time, as an upload of then would have it, which no record knows. */
export function orphanKey(days_ago: number): string {
  return v7({ msecs: Date.now() - days_ago * DAY_MS })
}

/**
 * Puts an object that no record knows where the walk through the bucket meets it, in a run two days from now. What it
 * returns puts the walk back to where it was: tests run the job at times that lie apart, and the walk never goes back.
 */
export async function plantOrphan(): Promise<() => Promise<void>> {
  const position = `SELECT position FROM progress WHERE task = 'bucket_walk'`
  const move = `UPDATE progress SET position = ? WHERE task = 'bucket_walk'`
  const before = await env.DB.prepare(position).first('position')
  await env.DB.prepare(move).bind(orphanKey(2.1)).run()
  await env.BUCKET.put(orphanKey(2), 'x')
  return async () => {
    await env.DB.prepare(move).bind(before).run()
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** A run of the scheduled job, as many days from now as it says. */
export function jobIn(days: number): JobContext {
  const { config, databases } = workOf('nobody')
  return {
    db: databases.named('DB'),
    databases,
    bucket: env.BUCKET,
    inboxes: env.INBOX,
    config,
    now_ms: Date.now() + days * DAY_MS,
    pause: async () => {},
  }
}

/** Runs the job that many days from now, until it finds nothing more to do. Tells what all these runs did together. */
export async function runJobIn(days: number): Promise<Report> {
  return finishJob(jobIn(days))
}

/** Runs a job, of which no task may fail, until it finds nothing more to do. Tells what all runs did together. */
async function finishJob(job: JobContext): Promise<Report> {
  const sum: Report = { queries: 0, calls: 0 }
  for (let runs = 0; runs < 200; runs++) {
    const { failed, has_backlog, ...counts } = await runJob(job)
    expect(failed).toBeUndefined()
    for (const [name, count] of Object.entries(counts))
      Object.assign(sum, {
        [name]: count + (Object.entries(sum).find(([known]) => known === name)?.[1] ?? 0),
      })
    const { queries, calls, ...done } = counts
    if (Object.keys(done).length === 0 && !has_backlog) return sum
  }
  throw new Error('the job never comes to an end')
}

/**
 * Records and objects agree: every ready file's content is there, and there is no object that no record knows.
 * To be asked when signed URLs have expired and the job has run.
 */
export async function expectRecordsAndObjectsAgree(): Promise<void> {
  const [files, uploads] = await env.DB.batch<{ key: string }>([
    env.DB.prepare(
      'SELECT object_key AS key FROM files WHERE object_key IS NOT NULL UNION SELECT object_key FROM asset_versions',
    ),
    env.DB.prepare(`SELECT id AS key FROM uploads WHERE state IN ('open', 'completing')`),
  ])
  const known = new Set(files?.results.map(({ key }) => key))
  const coming = new Set(uploads?.results.map(({ key }) => key))
  const there = new Set<string>()
  for (let cursor: string | undefined, more = true; more; ) {
    const listed: R2Objects = await env.BUCKET.list({ cursor })
    for (const { key } of listed.objects) if (key !== '.marker') there.add(key)
    more = listed.truncated
    cursor = listed.truncated ? listed.cursor : undefined
  }
  expect(
    [...known].filter((key) => !there.has(key)),
    'records without content',
  ).toEqual([])
  const unknown = [...there].filter((key) => !known.has(key) && !coming.has(key))
  expect(unknown, 'content without a record').toEqual([])
}
