import type { RequestContext } from '../../src/platform/context.ts'
import type { Database } from '../../src/platform/db/database.ts'
import type { Session } from '../../src/platform/db/session.ts'
import { ApiError, unavailable } from '../../src/platform/errors.ts'
import { overridden } from './meter.ts'

class Killed extends Error {}

export type Mortal = Pick<RequestContext, 'db' | 'databases' | 'bucket' | 'inboxes'>

/** Wraps each call of a Worker to D1, R2 or an inbox. */
export type Around = <Args extends unknown[], Answer>(
  call: (...args: Args) => Promise<Answer>,
) => (...args: Args) => Promise<Answer>

/**
 * The same context, in a Worker that is killed at its `at`th call to D1, R2 or an inbox: before the call takes effect, or
 * after it and before its answer arrives. A killed Worker makes no further calls.
 */
export function dyingAt<Work extends Mortal>(work: Work, at: number, when: 'before' | 'after'): Work {
  return atEachCall(work, deathAt(at, when))
}

/** Wraps calls so that the `at`th one kills the Worker. */
export function deathAt(at: number, when: 'before' | 'after'): Around {
  let calls = 0
  return (call) =>
    async (...args) => {
      calls++
      if (calls > at || (calls === at && when === 'before')) throw new Killed()
      const answer = await call(...args)
      if (calls >= at) throw new Killed()
      return answer
    }
}

/** The same context, with each of its calls wrapped. */
export function atEachCall<Work extends Mortal>(work: Work, around: Around): Work {
  const { db, databases, bucket, inboxes } = work
  const databaseAround = (database: Database) =>
    overridden(database, {
      read: around(database.read.bind(database)),
      write: around(database.write.bind(database)),
      writeAlong: around(database.writeAlong.bind(database)),
    })
  const sessionAround = (session: Session) =>
    overridden(session, { send: around(session.send.bind(session)) })
  return {
    ...work,
    db: databaseAround(db),
    databases: overridden(databases, {
      home: (user_id: string) => databaseAround(databases.home(user_id)),
      of: (id: string) => databaseAround(databases.of(id)),
      withPartition: (partition: string) => databaseAround(databases.withPartition(partition)),
      whole: (name: string) => databaseAround(databases.whole(name)),
      common: databaseAround(databases.common),
      catalogue: sessionAround(databases.catalogue),
    }),
    inboxes: overridden(inboxes, {
      getByName: (name: string) => {
        const inbox = inboxes.getByName(name)
        return {
          erase: around((...args: Parameters<typeof inbox.erase>) => inbox.erase(...args)),
          publish: around(async (...args: Parameters<typeof inbox.publish>) => inbox.publish(...args)),
          setMutes: around(async (...args: Parameters<typeof inbox.setMutes>) => inbox.setMutes(...args)),
        }
      },
    }),
    bucket: overridden(bucket, {
      head: around(bucket.head.bind(bucket)),
      get: around(bucket.get.bind(bucket)),
      put: around(bucket.put.bind(bucket)),
      delete: around(bucket.delete.bind(bucket)),
      list: around(bucket.list.bind(bucket)),
      createMultipartUpload: around(bucket.createMultipartUpload.bind(bucket)),
      resumeMultipartUpload: (key: string, id: string) => {
        const multipart = bucket.resumeMultipartUpload(key, id)
        return {
          complete: around(multipart.complete.bind(multipart)),
          abort: around(multipart.abort.bind(multipart)),
        }
      },
    }),
  }
}

/** Runs `round` with Workers killed at each moment (`atEachMoment`). Returns how many were killed. */
export function dieEverywhere(
  round: (dying: <Work extends Mortal>(work: Work) => Work) => Promise<boolean>,
): Promise<number> {
  return atEachMoment((at, when) => round((work) => dyingAt(work, at, when)))
}

/**
 * Runs `round` with a death before the first call, then after the first, second, … call, until nothing died. Returns how often
 * something did. What a Worker leaves that is killed before a call is what one leaves that is killed after the call before it:
 * in both, exactly the same calls took effect. So each such moment comes once.
 */
export async function atEachMoment(
  round: (at: number, when: 'before' | 'after') => Promise<boolean>,
): Promise<number> {
  if (!(await round(1, 'before'))) return 0
  let deaths = 1
  while (await round(deaths, 'after')) deaths++
  return deaths
}

/** Whether an error, or its cause, is the kill of a Worker. */
export function isDeath(error: unknown): boolean {
  return error instanceof Killed || (error instanceof ApiError && error.cause instanceof Killed)
}

/** Whether the Worker was killed in `attempt`. An error of the API counts as an answer. */
export async function died(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt
    return false
  } catch (error) {
    const cause = error instanceof ApiError ? error.cause : error
    if (cause instanceof Killed) return true
    if (error instanceof ApiError) return false
    throw error
  }
}

/** The same context, in a Worker that does not receive the answer to its first batch. */
export function deafToFirstBatch<Work extends Mortal>(work: Work): Work {
  let batches = 0
  const write = async (...args: Parameters<Mortal['db']['write']>) => {
    const answer = await work.db.write(...args)
    if (++batches === 1) throw unavailable('The answer was lost.')
    return answer
  }
  return { ...work, db: overridden(work.db, { write }) }
}
