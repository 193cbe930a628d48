import { expect } from 'vitest'
import { checkShareHints } from '../../src/features/shares/hints.ts'
import { listSharedWith } from '../../src/features/shares/read.ts'
import { eraseStep } from '../../src/operators/erasure/tasks.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { file } from './acts.ts'
import { contextOf, databasesOver } from './context.ts'
import { databaseNames, everywhere, homeOf, overEvery } from './databases.ts'
import { newUserId, newUserIdIn } from './ids.ts'
import { overridden } from './meter.ts'
import { jobIn } from './objects.ts'

/** What tests of sharing over several databases do over and over. */

/** A grantee, and an owner in each database, each with a file. */
export async function ownersEverywhere(grantee = contextOf(newUserId())) {
  const owners = await Promise.all(
    databaseNames.map(async () => {
      const owner = contextOf(newUserId())
      return { owner, file: await file(owner) }
    }),
  )
  return { grantee, owners }
}

/** The same user, with another request. */
export const again = ({ user_id, now_ms }: RequestContext) => contextOf(user_id, { now_ms })

/** The same databases, in an isolate that has not learned where any partition is. */
export const unlearned = () => databasesOver(overEvery((database) => overridden(database, {})))

/** A user of a database, by its name, whose partition sorts behind the given one. */
export function userIn(name: string, behind = ''): RequestContext {
  for (;;) {
    const user_id = newUserIdIn(name)
    if (partitionOf(user_id) > behind) return contextOf(user_id)
  }
}

/** The partitions that a user has hints to. */
export async function hintsTo({ user_id }: RequestContext): Promise<string[]> {
  const hints = await everywhere<{ partition: string }>(
    'SELECT partition FROM share_hints WHERE grantee_id = ?',
    user_id,
  )
  return hints.map(({ partition }) => partition).sort()
}

/** Leaves a hint without a share: what is left of a Worker that died before it wrote the share. */
export async function leaveHint(owner: RequestContext, { user_id }: RequestContext): Promise<void> {
  await homeOf(user_id)
    .prepare(
      'INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at) VALUES (?, ?, ?, ?)',
    )
    .bind(partitionOf(user_id), user_id, partitionOf(owner.user_id), Math.floor(owner.now_ms / 1_000))
    .run()
}

/** The ids of all shares with a user, newest first. */
export async function sharesWith({ user_id }: RequestContext): Promise<string[]> {
  const shares = await everywhere<{ id: string }>('SELECT id FROM shares WHERE grantee_id = ?', user_id)
  return shares
    .map(({ id }) => id)
    .sort()
    .toReversed()
}

/** The ids of what is shared with a user, page by page. */
export async function listed(work: RequestContext, limit = 50): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const found = await listSharedWith(work, { limit, cursor })
    expect(found.rows.length).toBeLessThanOrEqual(limit)
    ids.push(...found.rows.map(({ id }) => id))
    cursor = found.next_cursor ?? undefined
  } while (cursor)
  return ids
}

/** Checks the hints in every database until none is due, that many days from now. */
export const checkHints = (days: number) =>
  untilIdle(databaseNames.map((name) => () => checkShareHints(jobIn(days, name))))

/** Takes the job's steps of erasures in every database until none is due, that many days from now. */
export const eraseByJobs = (days: number, jobs = databaseNames.map((name) => jobIn(days, name))) =>
  untilIdle(
    jobs.map((job) => {
      const run = {
        ...job,
        pairing_id: undefined,
        separately: new Set<string>(),
        asked: new Set<string>(),
        next_at: undefined,
      }
      return () => eraseStep(run)
    }),
  )

async function untilIdle(steps: (() => Promise<number>)[]): Promise<void> {
  for (let isIdle = false; !isIdle; ) {
    isIdle = true
    for (const step of steps) if ((await step()) > 0) isIdle = false
  }
}

/** Every share has a hint in the home of its grantee. */
export async function expectHints(): Promise<void> {
  const shares = await everywhere<{ grantee_id: string; partition: string }>(
    'SELECT grantee_id, substr(id, 21, 3) AS partition FROM shares',
  )
  const missing: unknown[] = []
  for (const { grantee_id, partition } of shares) {
    const found = await homeOf(grantee_id)
      .prepare(
        'SELECT 1 AS one FROM share_hints WHERE grantee_partition = ? AND grantee_id = ? AND partition = ?',
      )
      .bind(partitionOf(grantee_id), grantee_id, partition)
      .first()
    if (!found) missing.push({ grantee_id, partition })
  }
  expect(missing, 'shares without a hint').toEqual([])
}
