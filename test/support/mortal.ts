import type { RequestContext } from '../../src/context.ts'
import type { Database } from '../../src/db/database.ts'
import { ApiError, unavailable } from '../../src/errors.ts'
import { overridden } from './meter.ts'

class Killed extends Error {}

type Mortal = Pick<RequestContext, 'db' | 'databases' | 'bucket' | 'inboxes'>

/**
 * The same work, in a Worker that dies at its `at`th call to D1 or R2: before the call took effect, or after it
 * and before anybody heard of it. A dead Worker calls nothing any more.
 */
export function dyingAt<Work extends Mortal>(work: Work, at: number, when: 'before' | 'after'): Work {
  let calls = 0
  const mortal =
    (call: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]) => {
      calls++
      if (calls > at || (calls === at && when === 'before')) throw new Killed()
      const answer = await call(...args)
      if (calls >= at) throw new Killed()
      return answer
    }
  const { db, databases, bucket, inboxes } = work
  const mortalDatabase = (database: Database) =>
    overridden(database, {
      read: mortal(database.read.bind(database)),
      write: mortal(database.write.bind(database)),
    })
  return {
    ...work,
    db: mortalDatabase(db),
    databases: overridden(databases, {
      home: (user_id: string) => mortalDatabase(databases.home(user_id)),
      of: (id: string) => mortalDatabase(databases.of(id)),
      withBucket: (bucket: string) => mortalDatabase(databases.withBucket(bucket)),
      named: (name: string) => mortalDatabase(databases.named(name)),
      all: () => databases.all().map(mortalDatabase),
    }),
    inboxes: overridden(inboxes, {
      getByName: (name: string) => {
        const inbox = inboxes.getByName(name)
        return { erase: mortal((...args: Parameters<typeof inbox.erase>) => inbox.erase(...args)) }
      },
    }),
    bucket: overridden(bucket, {
      head: mortal(bucket.head.bind(bucket)),
      get: mortal(bucket.get.bind(bucket)),
      put: mortal(bucket.put.bind(bucket)),
      delete: mortal(bucket.delete.bind(bucket)),
      list: mortal(bucket.list.bind(bucket)),
      createMultipartUpload: mortal(bucket.createMultipartUpload.bind(bucket)),
      resumeMultipartUpload: (key: string, id: string) => {
        const multipart = bucket.resumeMultipartUpload(key, id)
        return {
          complete: mortal(multipart.complete.bind(multipart)),
          abort: mortal(multipart.abort.bind(multipart)),
        }
      },
    }),
  }
}

/** Runs `round` with Workers that die at each of their calls in turn, until one lives through it. Counts deaths. */
export async function dieEverywhere(
  round: (dying: <Work extends Mortal>(work: Work) => Work) => Promise<boolean>,
): Promise<number> {
  let deaths = 0
  for (const when of ['before', 'after'] as const)
    for (let at = 1; await round((work) => dyingAt(work, at, when)); at++) deaths++
  return deaths
}

/** Whether the Worker died in `attempt`. A refusal is an answer, too. */
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

/** The same work, in a Worker that lives, but does not hear what became of its first batch. */
export function deafToFirstBatch<Work extends Mortal>(work: Work): Work {
  let batches = 0
  const write = async (statements: Parameters<Mortal['db']['write']>[0]) => {
    const answer = await work.db.write(statements)
    if (++batches === 1) throw unavailable('The answer was lost.')
    return answer
  }
  return { ...work, db: overridden(work.db, { write }) }
}
